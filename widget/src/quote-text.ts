import type { TextQuote } from "./api-types";

/** A point in a list of texts: offset counts UTF-16 units, as DOM ranges do. */
export interface TextPoint {
  piece: number;
  offset: number;
}

/** Where a quote stands; `end` is exclusive and lies in the piece of the last character. */
export interface TextSpan {
  start: TextPoint;
  end: TextPoint;
}

/**
 * White space, the invisible characters that themes put beside headings, and the marks of formulas,
 * which one site takes away and another leaves.
 */
const INVISIBLE = /[$\\\s\u00ad\u200b-\u200d\u2060\ufeff]/;
const ALIKE: Record<string, string> = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "‐": "-",
  "‑": "-",
};

/** Stands for a formula whose TeX is not known; a character no text has. */
export const HIDDEN_FORMULA = "\ue000";

/** A quote with every formula in it hidden. A prefix or suffix may begin or end within one. */
export function hideFormulas(text: string): string {
  return text.replace(/\$\$[^$]+\$\$|\$(?!\s)[^$]*[^$\s]\$(?!\d)/g, HIDDEN_FORMULA);
}

/**
 * The text as it is compared. White space is left out, not folded to one blank: two blocks of a
 * page touch without any, and a source's line break is a blank in the page.
 */
export function foldText(text: string): string {
  let folded = "";
  for (let i = 0; i < text.length; i++) folded += foldUnit(text[i] as string);
  return folded;
}

function foldUnit(unit: string): string {
  return INVISIBLE.test(unit) ? "" : (ALIKE[unit] ?? unit);
}

/**
 * Finds a quote in texts that follow each other. Of several places the one with the most of
 * prefix and suffix around it wins, then the first at or after piece `from`, then the first.
 */
export function findQuote(pieces: readonly string[], quote: TextQuote, from = 0): TextSpan | null {
  const points: TextPoint[] = [];
  let text = "";
  let fromIndex = -1;
  pieces.forEach((piece, index) => {
    if (index >= from && fromIndex < 0) fromIndex = text.length;
    for (let offset = 0; offset < piece.length; offset++) {
      const unit = foldUnit(piece[offset] as string);
      if (unit === "") continue;
      text += unit;
      points.push({ piece: index, offset });
    }
  });
  const exact = foldText(quote.exact);
  const at = exact === "" ? -1 : choosePlace(text, exact, quote, Math.max(fromIndex, 0));
  const start = points[at];
  const last = points[at + exact.length - 1];
  if (!start || !last) return null;
  return { start, end: { piece: last.piece, offset: last.offset + 1 } };
}

function choosePlace(text: string, exact: string, quote: TextQuote, from: number): number {
  const prefix = foldText(quote.prefix);
  const suffix = foldText(quote.suffix);
  let best = -1;
  let bestScore = -1;
  for (let at = text.indexOf(exact); at >= 0; at = text.indexOf(exact, at + 1)) {
    const context =
      countBefore(text, at, prefix) + countAfter(text, at + exact.length, suffix);
    const score = context * 2 + (at >= from ? 1 : 0);
    if (score > bestScore) {
      best = at;
      bestScore = score;
    }
  }
  return best;
}

function countBefore(text: string, at: number, prefix: string): number {
  let n = 0;
  while (n < prefix.length && n < at && text[at - 1 - n] === prefix[prefix.length - 1 - n]) n++;
  return n;
}

function countAfter(text: string, at: number, suffix: string): number {
  let n = 0;
  while (n < suffix.length && text[at + n] !== undefined && text[at + n] === suffix[n]) n++;
  return n;
}
