import { describe, expect, it } from "vitest";
import { asApa, asBibtex, asTextLink, type Reference } from "../src/cite-formats";

const reference = (exact: string, given: object = {}): Reference =>
  ({
    book: "Robots & Co",
    url: "https://book.example/ch1#benefits",
    citation: {
      n: 1,
      label: "Chapter 1, Section 1.1",
      chapter: "Foundations",
      section: "Benefits",
      updated_at: "2026-03-04T23:30:00Z",
      quote: { exact, prefix: "", suffix: "" },
      ...given,
    },
  }) as unknown as Reference;

describe("copying a citation", () => {
  it("writes it as APA does", () => {
    expect(asApa(reference("x"))).toBe(
      "Robots & Co. (2026, March 4). Benefits. Foundations. (Chapter 1, Section 1.1). https://book.example/ch1#benefits",
    );
    expect(asApa(reference("x", { updated_at: "" }))).toContain("(n.d.)");
  });

  it("escapes what TeX would read", () => {
    const entry = asBibtex(reference("x", { section: "100% {sure} of_it" }));
    expect(entry).toContain("title = {100\\% \\{sure\\} of\\_it}");
    expect(entry).toContain("booktitle = {Robots \\& Co}");
  });

  it("links to the quote, long ones by their ends", () => {
    expect(asTextLink(reference("a real-time loop, always"))).toBe(
      "https://book.example/ch1#benefits:~:text=a%20real%2Dtime%20loop%2C%20always",
    );
    const long = Array.from({ length: 30 }, (_, i) => `w${i}`).join(" ");
    expect(asTextLink(reference(long))).toContain(":~:text=w0%20w1%20w2%20w3%20w4,w25%20w26%20w27%20w28%20w29");
  });
});
