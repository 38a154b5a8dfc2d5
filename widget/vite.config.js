import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";

// Minifying drops the notices in Lit's files; its licence asks for one.
const LIT_NOTICE = "/*! Contains Lit, Copyright 2017 Google LLC, SPDX-License-Identifier: BSD-3-Clause */";
const BUDGET_BYTES = 20 * 1024;

/** Prints each file's size over the wire and fails the build above the budget. */
function holdSizeBudget() {
  return {
    name: "hold-size-budget",
    writeBundle(_options, bundle) {
      for (const [name, file] of Object.entries(bundle)) {
        const bytes = gzipSync(file.type === "chunk" ? file.code : file.source, { level: 9 }).length;
        console.log(`${name}: ${(bytes / 1024).toFixed(2)} kB gzip, budget ${BUDGET_BYTES / 1024} kB`);
        if (bytes > BUDGET_BYTES) throw new Error(`${name} is over its size budget`);
      }
    },
  };
}

export default defineConfig({
  build: {
    target: "es2022",
    sourcemap: false,
    reportCompressedSize: false,
    // Library mode keeps white space in ES modules; nothing is tree-shaken out of this one later.
    rolldownOptions: { output: { minify: true, postBanner: LIT_NOTICE } },
    lib: { entry: "src/quoth-widget.ts", formats: ["es"], fileName: () => "quoth-widget.js" },
  },
  plugins: [holdSizeBudget()],
  test: { include: ["test/**/*.test.ts"] },
});
