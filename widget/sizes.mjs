// Prints what a page loads of the widget beside two others from npm, by the same measure:
// gzip -9 of each file, in kB of 1,024 bytes; it packs the others into a temporary folder. Fails where
// ours, with an answer, is not the smallest.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";

const OURS = [
  ["Quoth, what a page loads", ["quoth-widget.js", "quoth-shared.js"]],
  ["Quoth, the same in German", ["quoth-widget.js", "quoth-shared.js", "quoth-strings-de.js"]],
  ["Quoth, with an answer", ["quoth-widget.js", "quoth-shared.js", "quoth-panel-shell.js", "quoth-answer-view.js"]],
  ["Quoth, search (only when typed)", ["quoth-search-sections.js"]],
  ["Quoth, waiting (only in a queue)", ["quoth-wait-for-answer.js"]],
  ["Quoth, copying (only when pressed)", ["quoth-copy-citation.js"]],
  ["Quoth, formulas (only with some)", ["quoth-math.js"]],
];
const OTHERS = [
  ["DocSearch", "@docsearch/js@5.2.0", "dist/umd/docsearch.js"],
  ["Deep Chat", "deep-chat@2.4.2", "dist/deepChat.bundle.js"],
];

const sizeOf = (file) => gzipSync(readFileSync(file), { level: 9 }).length / 1024;
const print = (name, size) => console.log(`${name.padEnd(34)} ${size.toFixed(1).padStart(7)} kB`);
const dist = new URL("dist/", import.meta.url).pathname;

const ours = OURS.map(([name, files]) => [name, files.reduce((sum, file) => sum + sizeOf(dist + file), 0)]);
for (const [name, size] of ours) print(name, size);
const withAnswer = ours.find(([name]) => name === "Quoth, with an answer")[1];
const folder = mkdtempSync(path.join(tmpdir(), "quoth-sizes-"));
try {
  for (const [name, spec, file] of OTHERS) {
    const packed = execFileSync("npm", ["pack", spec, "--silent"], { cwd: folder, encoding: "utf8" }).trim();
    execFileSync("tar", ["xzf", packed], { cwd: folder });
    const size = sizeOf(path.join(folder, "package", file));
    print(`${name} (${spec}, ${path.basename(file)})`, size);
    if (withAnswer >= size) throw new Error(`the widget is no smaller than ${name}`);
    rmSync(path.join(folder, "package"), { recursive: true });
  }
} finally {
  rmSync(folder, { recursive: true });
}
