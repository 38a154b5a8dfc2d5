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

  it("calls a page that is a chapter by its heading, never by its file's name", () => {
    const heading = "References and Borrowing";
    const sourcePath = "src/ch04-02-references-and-borrowing.md";
    const found = detectChapter(signs({ sourcePath, pathname: "/ch04-02-references-and-borrowing.html", heading }));
    expect(found).toMatchObject({ chapter_id: "ch04-02-references-and-borrowing", chapter_title: heading });
  });

  it("has no title for a folder that is no more than a number", () => {
    const found = detectChapter(signs({ pathname: "/ch04/borrowing", heading: "Borrowing" }));
    expect(found).toMatchObject({ chapter_id: "ch04", chapter_title: "" });
  });

  it("knows none on a page that says nothing", () => {
    expect(detectChapter(signs({ heading: "Welcome" }))).toBeNull();
  });
});
