import { describe, expect, it } from "vitest";
import { countWords, truncateSelection } from "../src/selection";

describe("counting words", () => {
  it("counts runs of letters or digits", () => {
    expect(countWords("Zero Moment Point (ZMP), 1997.")).toBe(5);
  });

  it("counts the words inside code", () => {
    expect(countWords("node.create_publisher(Twist, '/cmd_vel', 10)")).toBe(7);
  });

  it("knows letters and digits of any script", () => {
    expect(countWords("Café – Übung, π ≈ ٣٤, 日本語")).toBe(5);
  });

  it("finds none in marks and blanks", () => {
    expect(countWords(" — … \n\t 🤖 ")).toBe(0);
  });
});

describe("cutting a long selection", () => {
  const words = (n: number) => Array.from({ length: n }, (_, i) => `w${i}`).join(" ");

  it("leaves 2,000 tokens alone", () => {
    const text = `${words(1538)} …`;
    expect(truncateSelection(text)).toEqual({ text, truncated: false });
  });

  it("cuts the first word too many, at its edge", () => {
    expect(truncateSelection(`${words(1539)}.`)).toEqual({ text: words(1538), truncated: true });
  });

  it("cuts far longer texts to the same length", () => {
    expect(countWords(truncateSelection(words(9000)).text)).toBe(1538);
  });

  it("leaves out a line of code that does not fit whole", () => {
    const line = "robot.move(arm, speed, 3)";
    const text = `${words(1536)}\n  ${line}\nand more words`;
    expect(truncateSelection(text, new Set([line])).text).toBe(words(1536));
    expect(countWords(truncateSelection(text).text)).toBe(1538);
  });

  it("keeps a line of code whose last word is the last that fits", () => {
    const line = "robot.stop();";
    const text = `${words(1536)}\n${line}\nmore`;
    expect(truncateSelection(text, new Set([line])).text).toBe(`${words(1536)}\n${line}`);
  });
});
