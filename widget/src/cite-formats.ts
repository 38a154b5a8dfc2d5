import type { Citation } from "./api-types";

/** A cited place with what a reference needs. `url` is absolute. */
export interface Reference {
  book: string;
  url: string;
  citation: Citation;
}

type Format = "apa" | "bibtex" | "link";

/** The text to copy for a citation. */
export function formatReference(format: Format, reference: Reference): string {
  if (format === "apa") return asApa(reference);
  return format === "bibtex" ? asBibtex(reference) : asTextLink(reference);
}

export function asApa({ book, url, citation }: Reference): string {
  const { section, chapter, label } = citation;
  const title = section || chapter || label;
  const inside = chapter && chapter !== title ? `${chapter}. ` : "";
  const date = readDate(citation.updated_at);
  const when = date ? `${date.getUTCFullYear()}, ${month(date)} ${date.getUTCDate()}` : "n.d.";
  return `${book || title}. (${when}). ${title}. ${inside}${label && label !== title ? `(${label}). ` : ""}${url}`;
}

function month(date: Date): string {
  return date.toLocaleString("en", { month: "long", timeZone: "UTC" });
}

export function asBibtex({ book, url, citation }: Reference): string {
  const { section, chapter, label, n } = citation;
  const title = section || chapter || label;
  const date = readDate(citation.updated_at);
  const name = title.normalize("NFD").replace(/[^a-z0-9]+/gi, "-").replace(/^-|-$/g, "").toLowerCase();
  const fields = Object.entries({
    title,
    booktitle: book,
    chapter,
    year: date ? String(date.getUTCFullYear()) : "",
    note: label,
  })
    .filter(([, value]) => value)
    .map(([key, value]) => `  ${key} = {${escapeTex(value)}},\n`);
  return `@misc{${name || `citation-${n}`},\n${fields.join("")}  url = {${url.replace(/[{}\\%]/g, encodeURIComponent)}}\n}`;
}

function escapeTex(text: string): string {
  const words: Record<string, string> = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
  return text.replace(/\s+/g, " ").replace(/[\\~^{}$&#%_]/g, (mark) => words[mark] ?? `\\${mark}`);
}

function readDate(text: string): Date | null {
  const date = new Date(text);
  return text && !Number.isNaN(date.getTime()) ? date : null;
}

/** A link that makes the browser itself find and mark the quote (a text fragment). */
export function asTextLink({ url, citation }: Reference): string {
  const words = citation.quote.exact.trim().split(/\s+/);
  if (words[0] === "") return url;
  const ends = words.length > 12 ? [words.slice(0, 5), words.slice(-5)] : [words];
  const text = ends.map((part) => encodePart(part.join(" "))).join(",");
  return `${url}${url.includes("#") ? "" : "#"}:~:text=${text}`;
}

/** Commas and hyphens have a meaning of their own there. */
function encodePart(text: string): string {
  return encodeURIComponent(text).replace(/-/g, "%2D");
}
