import { describe, expect, it } from "vitest";
import { splitAt } from "../src/panel-excerpt";

describe("splitting a range at emphasis", () => {
  it.each([
    [[], [[2, 8, false]]],
    [[[2, 8]], [[2, 8, true]]],
    [[[0, 4]], [[2, 4, true], [4, 8, false]]],
    [[[3, 5], [6, 12]], [[2, 3, false], [3, 5, true], [5, 6, false], [6, 8, true]]],
    [[[8, 9], [0, 2]], [[2, 8, false]]],
    [[[5, 5], [7, 3], [0, 0]], [[2, 8, false]]],
    [[[3, 6], [4, 7]], [[2, 3, false], [3, 6, true], [6, 7, true], [7, 8, false]]],
  ] as const)("at %j", (emphasis, wanted) => {
    const found = splitAt([2, 8], emphasis);
    expect(found.map(({ part, isKey }) => [...part, isKey])).toEqual(wanted);
  });

  it("leaves nothing of an empty range", () => {
    expect(splitAt([3, 3], [[0, 9]])).toEqual([]);
  });
});
