import { describe, expect, it } from "vitest";
import { findQuote } from "../src/quote-text";

function quote(exact: string, prefix = "", suffix = "") {
  return { exact, prefix, suffix };
}

/** The text a span covers, pieces joined. */
function cut(pieces: string[], span: ReturnType<typeof findQuote>): string | null {
  if (!span) return null;
  const { start, end } = span;
  return pieces
    .slice(start.piece, end.piece + 1)
    .map((piece, i) => {
      const to = i === end.piece - start.piece ? end.offset : piece.length;
      return piece.slice(i === 0 ? start.offset : 0, to);
    })
    .join("");
}

describe("finding a quote in a page", () => {
  it("finds it across nodes", () => {
    const pieces = ["Physical AI ", "joins", " sensing and ", "acting", ". Next."];
    const span = findQuote(pieces, quote("Physical AI joins sensing and acting."));
    expect(span).toEqual({ start: { piece: 0, offset: 0 }, end: { piece: 4, offset: 1 } });
  });

  it("passes over white space that differs", () => {
    const pieces = ["  A robot\n    that\u00a0walks  ", "\n", "on two legs.  "];
    expect(cut(pieces, findQuote(pieces, quote("A robot that walks on two legs.")))).toBe(
      "A robot\n    that\u00a0walks  \non two legs.",
    );
  });

  it("finds a quote that runs from one block into the next", () => {
    const pieces = ["It stands.", "It falls."];
    expect(cut(pieces, findQuote(pieces, quote("It stands. It falls.")))).toBe("It stands.It falls.");
  });

  it("takes typographic and plain marks for each other", () => {
    const pieces = ["the robot’s “zero‑moment” point"];
    expect(cut(pieces, findQuote(pieces, quote("robot's \"zero-moment\"")))).toBe("robot’s “zero‑moment”");
  });

  it("takes the first place when nothing tells them apart", () => {
    expect(findQuote(["a gait", "a gait"], quote("a gait"))?.start.piece).toBe(0);
  });

  it("prefers the place below the heading", () => {
    expect(findQuote(["a gait", "Heading", "a gait"], quote("a gait"), 1)?.start.piece).toBe(2);
  });

  it("falls back to a place above the heading", () => {
    expect(findQuote(["a gait", "Heading"], quote("a gait"), 1)?.start.piece).toBe(0);
  });

  it("prefers the place with the right words around it", () => {
    const pieces = ["Slow: a gait for sand.", "Fast: a gait for roads.", "Fast: a gait for sand."];
    expect(findQuote(pieces, quote("a gait", "Fast: ", " for sand"))?.start.piece).toBe(2);
  });

  it.each(["not there", "", " \n "])("finds nothing for %j", (exact) => {
    expect(findQuote(["A robot walks."], quote(exact))).toBeNull();
  });

  it("finds nothing in an empty page", () => {
    expect(findQuote([], quote("A robot"))).toBeNull();
  });

  it("keeps the offsets of characters outside the basic plane", () => {
    const pieces = ["🤖🤖 walks"];
    expect(cut(pieces, findQuote(pieces, quote("🤖 walks")))).toBe("🤖 walks");
  });
});
