import type { Citation, TextQuote } from "./api-types";
import { findQuote } from "./quote-text";
import { allQuotes } from "./read-answer";

export interface Part {
  text: string;
  cited: boolean;
}

/** The selection in parts, those that citations quote told from the others. */
export function splitAtQuotes(text: string, citations: readonly Citation[]): Part[] {
  const quotes: TextQuote[] = citations.flatMap((citation) =>
    citation.kind === "selection" ? allQuotes(citation) : [],
  );
  const spans = quotes
    .map((quote) => findQuote([text], quote))
    .filter((span) => span !== null)
    .map(({ start, end }) => [start.offset, end.offset] as const)
    .sort((a, b) => a[0] - b[0]);
  const parts: Part[] = [];
  let at = 0;
  for (const [start, end] of spans) {
    if (start > at) parts.push({ text: text.slice(at, start), cited: false });
    if (end > at) parts.push({ text: text.slice(Math.max(start, at), end), cited: true });
    at = Math.max(at, end);
  }
  if (at < text.length) parts.push({ text: text.slice(at), cited: false });
  return parts;
}
