import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";

// Minifying drops the notices in Lit's files; its licence asks for one.
const LIT_NOTICE = "/*! Contains Lit, Copyright 2017 Google LLC, SPDX-License-Identifier: BSD-3-Clause */";
const BUDGET_BYTES = 22 * 1024;

/** Loaded with the page or before the first answer, whatever the language; the others come later. */
const BEFORE_AN_ANSWER = ["quoth-widget.js", "quoth-shared.js", "quoth-strings-de.js"];

/** Prints each file's size over the wire and fails the build above the budget. */
function holdSizeBudget() {
  return {
    name: "hold-size-budget",
    writeBundle(_options, bundle) {
      let before = 0;
      for (const [name, file] of Object.entries(bundle)) {
        const bytes = gzipSync(file.type === "chunk" ? file.code : file.source, { level: 9 }).length;
        console.log(`${name}: ${(bytes / 1024).toFixed(2)} kB gzip`);
        if (BEFORE_AN_ANSWER.includes(name)) before += bytes;
      }
      console.log(`before an answer: ${(before / 1024).toFixed(2)} kB gzip, budget ${BUDGET_BYTES / 1024} kB`);
      if (before > BUDGET_BYTES) throw new Error("what loads before an answer is over its size budget");
    },
  };
}

/** Takes white space out of style sheets and templates, which minifying leaves as they are. */
function shortenTemplates() {
  const shorten = (css) => css.replace(/\/\*.*?\*\//gs, "").replace(/\s*([{};,>])\s*/g, "$1").replace(/: /g, ":").trim();
  return {
    name: "shorten-templates",
    transform(code, id) {
      if (/(panel-\w+|launcher|feedback)\.ts$/.test(id)) return code.replace(/\n\s+/g, "\n");
      if (!/styles\.ts$/.test(id)) return undefined;
      return code.replace(/(css`)([^`]*)`/g, (_all, tag, css) => `${tag}${shorten(css)}\``);
    },
  };
}

export default defineConfig({
  build: {
    target: "es2022",
    sourcemap: false,
    reportCompressedSize: false,
    // Library mode keeps white space in ES modules; nothing is tree-shaken out of this one later.
    rolldownOptions: { output: { minify: true, codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] }, postBanner: LIT_NOTICE, chunkFileNames: (chunk) => `quoth-${chunk.isDynamicEntry ? chunk.name : "shared"}.js` } },
    lib: { entry: "src/quoth-widget.ts", formats: ["es"], fileName: () => "quoth-widget.js" },
  },
  plugins: [shortenTemplates(), holdSizeBudget()],
  test: { include: ["test/**/*.test.ts"] },
});
