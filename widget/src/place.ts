import { idInHash } from "./links";
import { clearHighlight, highlight } from "./mark-quotes";
import { type CoveredPiece, coverQuote, rangeOf, readPieces } from "./page-text";
import type { Place } from "./stored-place";
import { unfold } from "./unfold";

const BLOCK = "p,li,pre,td,th,dd,dt,blockquote,figcaption,summary,h1,h2,h3,h4,h5,h6,div,section,article";

export type Shown = "quote" | "section" | "nowhere";

function mainContent(): Element {
  return (
    document.querySelector("main, [role=main]") ?? document.querySelector("article") ?? document.body
  );
}

export interface Found {
  /** From the quote's first to its last stretch. */
  range: Range | null;
  covered: CoveredPiece[];
  heading: Element | null;
}

/** Finds the quote in the page's main content, preferring what stands below the url's heading. */
export function findPlace(place: Place): Found {
  const id = idInHash(place.url);
  const heading = id ? document.getElementById(id) : null;
  const pieces = readPieces(mainContent());
  const from = heading ? pieces.findIndex(({ node }) => startsAtOrAfter(heading, node)) : 0;
  const covered = coverQuote(pieces, place.quote, from < 0 ? pieces.length : from) ?? [];
  const [first, last] = [covered[0], covered.at(-1)];
  if (!first || !last) return { range: null, covered, heading };
  const range = rangeOf(first);
  const end = rangeOf(last);
  range.setEnd(end.endContainer, end.endOffset);
  return { range, covered, heading };
}

function startsAtOrAfter(heading: Element, node: Node): boolean {
  return (heading.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

/**
 * Scrolls to the quote and highlights it; without it, scrolls to the heading. `rightEdge` is how
 * far the text shown reaches on the screen, in px.
 */
export async function showPlace(place: Place): Promise<{ shown: Shown; rightEdge: number }> {
  clearHighlight();
  const hidden = findPlace(place);
  const inside = hidden.covered[0]?.node.parentElement ?? hidden.heading;
  // What is unfolded may be drawn anew, so it is looked for again.
  const { range, covered, heading } = inside && (await unfold(inside)) ? findPlace(place) : hidden;
  const start = covered[0]?.node.parentElement;
  const target = start?.closest(BLOCK) ?? start ?? heading;
  if (!target) return { shown: "nowhere", rightEdge: 0 };
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const block = range ? "center" : "start";
  (start ?? target).scrollIntoView({ block, behavior: calm ? "auto" : "smooth" });
  focusOnce(target as HTMLElement);
  if (!range) return { shown: "section", rightEdge: target.getBoundingClientRect().left + 1 };
  const rightEdge = range.getBoundingClientRect().right; // before marks may split the range's nodes
  highlight(covered);
  return { shown: "quote", rightEdge };
}

/** Moves reading to the place, as following a link does, and leaves no attribute behind. */
function focusOnce(target: HTMLElement): void {
  if (!target.hasAttribute("tabindex")) {
    target.setAttribute("tabindex", "-1");
    target.addEventListener("blur", () => target.removeAttribute("tabindex"), { once: true });
  }
  target.focus({ preventScroll: true });
}
