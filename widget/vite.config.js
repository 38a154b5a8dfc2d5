import { defineConfig } from "vite";
import { holdBudgets } from "./sizes.mjs";

// Minifying drops the notices in Lit's files; its licence asks for one.
const LIT_NOTICE = "/*! Contains Lit, Copyright 2017 Google LLC, SPDX-License-Identifier: BSD-3-Clause */";

/** Takes white space out of style sheets and templates, which minifying leaves as they are. */
function shortenTemplates() {
  const shorten = (css) => css.replace(/\/\*.*?\*\//gs, "").replace(/\s*([{};,>])\s*/g, "$1").replace(/: /g, ":").replace(/;}/g, "}").replace(/\b0\.(?=\d)/g, ".").trim();
  return {
    name: "shorten-templates",
    transform(code, id) {
      if (!/\/src\/[\w-]+\.ts$/.test(id)) return undefined;
      if (!/styles\.ts$/.test(id)) return code.replace(/\n\s+/g, "\n");
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
    rolldownOptions: {
      output: {
        minify: true,
        // One file compresses better than several: what lazy parts share is in the page's own.
        codeSplitting: { groups: [{ name: "shared", test: /src\/(quoth-widget|panel-sections)/ }] },
        postBanner: (chunk) => (chunk.moduleIds.some((id) => id.includes("/lit")) ? LIT_NOTICE : ""),
        chunkFileNames: (chunk) => `quoth-${chunk.name}.js`,
      },
    },
    lib: { entry: "src/quoth-widget.ts", formats: ["es"], fileName: () => "quoth-widget.js" },
  },
  plugins: [shortenTemplates(), { name: "hold-budgets", writeBundle: () => void holdBudgets() }],
  test: { include: ["test/**/*.test.ts"] },
});
