/** A stretch of an answer: words, code, or a formula in TeX. */
export interface Stretch {
  kind: "text" | "code" | "math";
  text: string;
  /** Stands on lines of its own. */
  block: boolean;
  /** Of code on lines of its own. */
  language: string;
}

const MARKED =
  /```([^\n`]*)\n([\s\S]*?)```|`([^`\n]+)`|\$\$([\s\S]+?)\$\$|\$(?![\s\d]+(?:[.,]\d+)?\s)([^\s$](?:[^$\n]*[^\s$\\])?)\$(?!\d)/g;

/** Splits an answer's text at its code and formulas. Nothing else of Markdown is known. */
export function splitRichText(text: string): Stretch[] {
  const stretches: Stretch[] = [];
  let end = 0;
  const add = (kind: Stretch["kind"], value: string, block = false, language = "") => {
    if (value !== "") stretches.push({ kind, text: value, block, language });
  };
  for (const match of text.matchAll(MARKED)) {
    add("text", text.slice(end, match.index));
    const [, language, fence, code, display, inline] = match;
    if (fence !== undefined) add("code", fence.replace(/\n$/, ""), true, language?.trim());
    else if (code !== undefined) add("code", code);
    else if (display !== undefined) add("math", display.trim(), true);
    else add("math", inline ?? "");
    end = match.index + match[0].length;
  }
  add("text", text.slice(end));
  return stretches;
}
