import { describe, expect, it } from "vitest";
import { splitRichText } from "../src/rich-text";

const kinds = (text: string) => splitRichText(text).map(({ kind, text: words }) => [kind, words]);

describe("code and formulas in an answer", () => {
  it("finds code in a line and on lines of its own", () => {
    expect(kinds("Call `stop()`:\n```py\nrobot.stop()\n```")).toEqual([
      ["text", "Call "],
      ["code", "stop()"],
      ["text", ":\n"],
      ["code", "robot.stop()"],
    ]);
  });

  it("keeps the language of code on lines of its own", () => {
    expect(splitRichText("```py\nstop()\n```")[0]).toMatchObject({ block: true, language: "py" });
  });

  it("finds formulas", () => {
    expect(kinds("At $x^2$ and $$y$$.")).toEqual([
      ["text", "At "],
      ["math", "x^2"],
      ["text", " and "],
      ["math", "y"],
      ["text", "."],
    ]);
  });

  it.each(["It costs $5 and $10.", "a $ b $ c", "one $ alone", "`", "**bold** <b>x</b>"])("leaves %s alone", (text) => {
    expect(splitRichText(text).map((each) => each.text).join("")).toBe(text);
    expect(splitRichText(text).every((each) => each.kind === "text")).toBe(true);
  });
});
