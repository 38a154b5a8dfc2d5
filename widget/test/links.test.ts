import { describe, expect, it } from "vitest";
import { acceptUrl, idInHash, isSamePage } from "../src/links";

const PAGE = "https://book.example/docs/ch1?lang=en#intro";

describe("accepting a link", () => {
  it.each([
    ["/docs/ch2#balance", "https://book.example/docs/ch2#balance"],
    ["ch2", "https://book.example/docs/ch2"],
    ["#what", "https://book.example/docs/ch1?lang=en#what"],
    ["https://book.example/docs/ch3", "https://book.example/docs/ch3"],
    // By the URL standard this is a relative path on an https page.
    ["https:evil.example", "https://book.example/docs/evil.example"],
  ])("follows %s", (raw, href) => {
    expect(acceptUrl(raw, PAGE)).toBe(href);
  });

  it.each([
    "javascript:alert(1)",
    " JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "blob:https://book.example/1",
    "vbscript:x",
    "file:///etc/passwd",
    "//evil.example/docs",
    "\\\\evil.example\\docs",
    "https://evil.example/docs/ch1",
    "https://book.example.evil.example/",
    "https://book.example@evil.example/",
    "https://user:secret@book.example/",
    "http://book.example/docs",
    "https://book.example:8443/docs",
    "https://[",
    "",
    "  ",
    null,
    undefined,
    7,
    {},
  ])("refuses %j", (raw) => {
    expect(acceptUrl(raw, PAGE)).toBeNull();
  });

  it("refuses everything on a page without an origin", () => {
    expect(acceptUrl("/docs", "file:///tmp/page.html")).toBeNull();
  });
});

describe("telling pages apart", () => {
  it.each([
    ["https://b.example/docs/ch1#a", "https://b.example/docs/ch1/#b"],
    ["https://b.example/docs/ch1.html", "https://b.example/docs/ch1"],
    ["https://b.example/docs/index.html", "https://b.example/docs"],
    ["https://b.example/caf%C3%A9", "https://b.example/café"],
  ])("%s is %s", (a, b) => {
    expect(isSamePage(a, b)).toBe(true);
  });

  it.each([
    ["https://b.example/docs/ch1", "https://b.example/docs/ch2"],
    ["https://b.example/docs?v=1", "https://b.example/docs?v=2"],
  ])("%s is not %s", (a, b) => {
    expect(isSamePage(a, b)).toBe(false);
  });
});

describe("reading the id of a hash", () => {
  it("decodes it", () => {
    expect(idInHash("https://b.example/#caf%C3%A9--%C3%BCbung")).toBe("café--übung");
  });

  it("keeps a hash that is not well encoded", () => {
    expect(idInHash("https://b.example/#100%")).toBe("100%");
  });
});
