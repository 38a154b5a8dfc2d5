// Prints what a page loads of the widget beside two others from npm, by the same measure:
// gzip -9 of each file, in kB of 1,024 bytes; it packs the others into a temporary folder. Fails where
// ours, with an answer, is not the smallest. `budgets.json` has what is loaded when, and the limits.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const LATER = [
  ["waiting (only in a queue)", "quoth-wait-for-answer.js"],
  ["copying (only when pressed)", "quoth-copy-citation.js"],
  ["formulas (only with some)", "quoth-math.js"],
];
const OTHERS = [
  ["DocSearch", "@docsearch/js@5.2.0", "dist/umd/docsearch.js"],
  ["Deep Chat", "deep-chat@2.4.2", "dist/deepChat.bundle.js"],
];

const sizeOf = (file) => gzipSync(readFileSync(file), { level: 9 }).length / 1024;
const print = (name, size) => console.log(`${name.padEnd(40)} ${size.toFixed(1).padStart(7)} kB`);
const here = (file) => new URL(file, import.meta.url).pathname;

/** Prints what each moment has loaded; fails above its limit. Returns the most. */
export function holdBudgets() {
  const sizes = JSON.parse(readFileSync(here("budgets.json"), "utf8")).map(({ name, files, most }) => {
    const size = files.reduce((sum, file) => sum + sizeOf(here(`dist/${file}`)), 0);
    print(`Quoth: ${name} (at most ${most})`, size);
    if (size > most) throw new Error(`${name}: ${size.toFixed(2)} kB, and ${most} are the limit`);
    return size;
  });
  for (const [name, file] of LATER) print(`Quoth: ${name}`, sizeOf(here(`dist/${file}`)));
  return Math.max(...sizes);
}

function compareWithOthers(ours) {
  const folder = mkdtempSync(path.join(tmpdir(), "quoth-sizes-"));
  try {
    for (const [name, spec, file] of OTHERS) {
      const packed = execFileSync("npm", ["pack", spec, "--silent"], { cwd: folder, encoding: "utf8" }).trim();
      execFileSync("tar", ["xzf", packed], { cwd: folder });
      const size = sizeOf(path.join(folder, "package", file));
      print(`${name} (${spec})`, size);
      if (ours >= size) throw new Error(`the widget is no smaller than ${name}`);
      rmSync(path.join(folder, "package"), { recursive: true });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) compareWithOthers(holdBudgets());
