import type { TextQuote } from "./api-types";
import { findQuote, hideFormulas, HIDDEN_FORMULA } from "./quote-text";

const NOT_TEXT = "script,style,noscript,template,button,select,textarea,quoth-widget";
/** What KaTeX, MathJax and browsers draw for a formula. */
const FORMULA = ".katex,mjx-container,.MathJax,math";
const TEX = "annotation[encoding='application/x-tex']";

/** A stretch of the page. A formula is one, whatever it is drawn with; `text` is then its TeX. */
export interface Piece {
  node: Text | Element;
  /** null: a formula that does not tell its TeX. */
  text: string | null;
}

/** A stretch a quote covers, or a part of it: offsets in UTF-16 units; of a formula always all. */
export interface CoveredPiece {
  node: Text | Element;
  start: number;
  end: number;
}

/** The text of an element as readers see it, in its order. */
export function readPieces(element: Element, pieces: Piece[] = []): Piece[] {
  for (const node of element.childNodes) {
    if (node instanceof Text) pieces.push({ node, text: node.data });
    else if (!(node instanceof Element) || node.matches(NOT_TEXT)) continue;
    else if (node.matches(FORMULA)) pieces.push({ node, text: node.querySelector(TEX)?.textContent ?? null });
    else readPieces(node, pieces);
  }
  return pieces;
}

/**
 * What of the pieces a quote covers, in order; null when it does not stand there. Where a formula
 * keeps its TeX to itself, it is taken for whichever formula stands in its place in the quote.
 */
export function coverQuote(pieces: readonly Piece[], quote: TextQuote, from: number): CoveredPiece[] | null {
  const texts = pieces.map(({ text }) => text ?? "");
  const span = findQuote(texts, quote, from) ?? findBesideFormulas(pieces, quote, from);
  if (!span) return null;
  const covered: CoveredPiece[] = [];
  for (let at = span.start.piece; at <= span.end.piece; at++) {
    const node = (pieces[at] as Piece).node;
    const start = at === span.start.piece ? span.start.offset : 0;
    const end = at === span.end.piece ? span.end.offset : (texts[at] as string).length;
    covered.push({ node, start, end });
  }
  return covered;
}

function findBesideFormulas(pieces: readonly Piece[], quote: TextQuote, from: number) {
  if (!pieces.some(({ text }) => text === null)) return null;
  const texts = pieces.map(({ node, text }) => (node instanceof Text ? (text as string) : HIDDEN_FORMULA));
  const { exact, prefix, suffix } = quote;
  const hidden = { exact: hideFormulas(exact), prefix: hideFormulas(prefix), suffix: hideFormulas(suffix) };
  return findQuote(texts, hidden, from);
}

/** The range of what is covered, formulas whole. */
export function rangeOf({ node, start, end }: CoveredPiece): Range {
  const range = document.createRange();
  if (node instanceof Text) {
    range.setStart(node, start);
    range.setEnd(node, end);
  } else {
    range.selectNode(node);
  }
  return range;
}
