import { describe, expect, it } from "vitest";
import { readSuggestions } from "../src/suggestions";
import { quotesOf, readAnswer } from "../src/read-answer";

describe("reading an answer", () => {
  it.each([null, undefined, 7, "answered", [], {}, { status: "odd" }])("takes %j for no answer", (body) => {
    expect(readAnswer(body)).toBeNull();
  });

  it("fills in what is missing", () => {
    const answer = readAnswer({ status: "answered" });
    expect(answer).toMatchObject({ response: "", claims: [], citations: [], refusal: null, notices: [] });
    expect(answer?.metadata.limited_mode).toBe(false);
  });

  it.each([
    ["verbatim", "verbatim"],
    ["close", "close"],
    ["paraphrase", "paraphrase"],
    ["supported", "paraphrase"],
    ["toString", "paraphrase"],
    [undefined, "paraphrase"],
    [["verbatim"], "paraphrase"],
  ])("takes a proof of %j for %s: what it does not know is the weakest", (given, verification) => {
    const claims = [{ text: "A", citations: [1, "2"], verification: given }];
    const answer = readAnswer({ status: "answered", claims });
    expect(answer?.claims).toEqual([{ text: "A", citations: [1], verification, quotes: [], parts: [], emphasis: [], styles: [] }]);
  });

  it("takes a form it does not know for prose, and places that are none for empty ones", () => {
    const parts = [{ form: "poem", start: 0, end: 3, items: [7], rows: [["x"]], header: {} }, null];
    const answer = readAnswer({ status: "answered", claims: [{ text: "A b", parts, emphasis: [[0, 1], "x", [null]] }] });
    const empty = { language: "", header: [] };
    expect(answer?.claims[0]).toMatchObject({
      parts: [
        { ...empty, form: "prose", start: 0, end: 3, items: [{ start: 0, end: 0, level: 0, number: null }], rows: [[[0, 0]]] },
        { ...empty, form: "prose", start: 0, end: 0, items: [], rows: [] },
      ],
      emphasis: [[0, 1], [0, 0], [0, 0]],
    });
  });

  it("leaves out a style it does not know", () => {
    const styles = [{ start: 0, end: 1, style: "code" }, { start: 1, end: 2, style: "blink" }, 7];
    const answer = readAnswer({ status: "answered", claims: [{ text: "A b", styles }] });
    expect(answer?.claims[0]?.styles).toEqual([{ start: 0, end: 1, style: "code" }]);
  });

  it("turns fields of the wrong type into empty ones", () => {
    const answer = readAnswer({
      status: "refused",
      response: { strings: ["<img>"] },
      citations: [{ n: 1, label: [], url: {}, quote: "x" }],
      refusal: { closest: [{ title: "Balance", url: 3 }, { title: null }] },
    });
    expect(answer?.response).toBe("");
    expect(answer?.citations[0]).toMatchObject({ label: "", url: null, quote: { exact: "" } });
    expect(answer?.refusal?.closest).toEqual([{ title: "Balance", url: "", text: "" }]);
  });
});

describe("the quotes a claim rests on", () => {
  const quotes = ["First.", "Second.", "Third."].map((exact) => ({ exact, prefix: "", suffix: "" }));
  const citations = [1, 2].map((n) => ({ n, quote: quotes[0], quotes }));

  function textsOf(given: unknown): string[][] {
    const claims = [{ text: "A", citations: [1, 2], verification: "close", quotes: given }];
    const answer = readAnswer({ status: "answered", claims, citations });
    return (answer?.citations ?? []).map((citation) =>
      (answer?.claims ?? []).flatMap((claim) => quotesOf(claim, citation)).map(({ exact }) => exact),
    );
  }

  it("are its own of each citation, all of them", () => {
    expect(textsOf([{ n: 1, quote: 1 }, { n: 2, quote: 0 }, { n: 2, quote: 2 }])).toEqual([
      ["Second."],
      ["First.", "Third."],
    ]);
  });

  it.each([undefined, "1", [], [7, {}], [{ n: 1, quote: 3 }, { n: 2, quote: -1 }]])(
    "are the first of the citation where %j does not tell them",
    (given) => {
      expect(textsOf(given)).toEqual([["First."], ["First."]]);
    },
  );
});

describe("reading suggestions", () => {
  it("takes a JSON list of texts", () => {
    expect(readSuggestions('["What is ZMP?", 3, "Why?"]')).toEqual(["What is ZMP?", "Why?"]);
  });

  it.each(["", "nope", "{}", "7"])("takes none from %j", (attribute) => {
    expect(readSuggestions(attribute)).toEqual([]);
  });
});
