import { describe, expect, it } from "vitest";
import { detectChapter, type PageSigns } from "../src/chapter";

const signs = (given: Partial<PageSigns>): PageSigns => ({
  id: "",
  title: "",
  sourcePath: "",
  pathname: "/",
  heading: "",
  ...given,
});

describe("telling the chapter", () => {
  it("is certain where the source and the address agree", () => {
    const found = detectChapter(signs({ sourcePath: "docs/02-kinematics/01-arms.md", pathname: "/kinematics/arms" }));
    expect(found).toMatchObject({ chapter_id: "02-kinematics", confidence: "high", source: "page+url" });
  });

  it("is certain where address and heading agree, and takes the heading's title", () => {
    const found = detectChapter(signs({ pathname: "/docs/chapter-3", heading: "Chapter 3: Balance" }));
    expect(found).toMatchObject({ chapter_title: "Chapter 3: Balance", confidence: "high" });
  });

  it("takes the host's own words first", () => {
    const found = detectChapter(signs({ title: "Chapter 4: Words", sourcePath: "docs/09-x/y.md" }));
    expect(found).toMatchObject({ chapter_title: "Chapter 4: Words", confidence: "medium", source: "page" });
  });

  it("is less sure where they disagree", () => {
    const found = detectChapter(signs({ sourcePath: "docs/02-kinematics/a.md", pathname: "/sensors/a" }));
    expect(found).toMatchObject({ chapter_id: "02-kinematics", confidence: "medium" });
  });

  it("reads no chapter out of the word chapters", () => {
    expect(detectChapter(signs({ pathname: "/chapters" }))).toBeNull();
  });

  it("knows none on a page that says nothing", () => {
    expect(detectChapter(signs({ heading: "Welcome" }))).toBeNull();
  });
});
