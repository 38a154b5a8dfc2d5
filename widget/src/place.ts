import { idInHash } from "./links";
import { clearHighlight, clickedPieces, highlight } from "./mark-quotes";
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
  /** What the quotes cover, in the page's order, nothing twice. */
  covered: CoveredPiece[];
  heading: Element | null;
}

/**
 * Finds the quotes in the page's main content, preferring what stands below the url's heading, and
 * leaving out what is `taken`.
 */
export function findPlace({ url, quotes }: Place, taken: readonly CoveredPiece[] = []): Found {
  const id = idInHash(url);
  const heading = id ? document.getElementById(id) : null;
  const pieces = readPieces(mainContent());
  const below = heading ? pieces.findIndex(({ node }) => isBefore(heading, node)) : 0;
  const from = below < 0 ? pieces.length : below;
  const covered: CoveredPiece[] = [];
  for (const piece of quotes.flatMap((quote) => coverQuote(pieces, quote, from) ?? [])) {
    covered.push(...without(piece, [...taken, ...covered]));
  }
  covered.sort((a, b) => (a.node === b.node ? a.start - b.start : isBefore(a.node, b.node) ? -1 : 1));
  return { covered, heading };
}

/** What no other covers of a piece. */
function without(piece: CoveredPiece, others: readonly CoveredPiece[]): CoveredPiece[] {
  const other = others.find((each) => overlap(each, piece));
  if (!other) return [piece];
  const rest = [{ ...piece, end: other.start }, { ...piece, start: other.end }];
  return rest.filter(({ start, end }) => start < end).flatMap((each) => without(each, others));
}

function isBefore(one: Node, other: Node): boolean {
  return (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

function overlap(one: CoveredPiece, other: CoveredPiece): boolean {
  return one.node === other.node && one.start < other.end && other.start < one.end;
}

/** Marks lightly what an answer quotes of this page; a quote that is shown stays as it is. */
export function markQuoted(quoted: readonly Place[]): void {
  const shown = clickedPieces();
  clearHighlight();
  const others: CoveredPiece[] = [];
  for (const place of quoted) others.push(...findPlace(place, [...shown, ...others]).covered);
  highlight(shown, others);
}

/**
 * Scrolls to the first quote and highlights all, those of `quoted` lightly; without any, scrolls to the heading. `rightEdge`
 * is how far the text shown reaches on the screen, in px.
 */
export async function showPlace(place: Place, quoted: readonly Place[]): Promise<{ shown: Shown; rightEdge: number }> {
  clearHighlight();
  await unfoldPlace(place);
  const { covered, heading } = findPlace(place);
  const start = covered[0]?.node.parentElement;
  const target = start?.closest(BLOCK) ?? start ?? heading;
  if (!target) return { shown: "nowhere", rightEdge: 0 };
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const block = start ? "center" : "start";
  (start ?? target).scrollIntoView({ block, behavior: calm ? "auto" : "smooth" });
  focusOnce(target as HTMLElement);
  if (!start) return { shown: "section", rightEdge: target.getBoundingClientRect().left + 1 };
  // Measured before marks may split the page's nodes.
  const rightEdge = Math.max(...covered.map((piece) => rangeOf(piece).getBoundingClientRect().right));
  highlight(covered, []);
  markQuoted(quoted);
  return { shown: "quote", rightEdge };
}

/** Unfolds what hides the quotes, the first one's last: of several tabs only one can be open. */
async function unfoldPlace({ url, quotes }: Place): Promise<void> {
  // What is unfolded may be drawn anew, so each is looked for in the page as it is then.
  for (let at = Math.max(quotes.length - 1, 0); at >= 0; at--) {
    const { covered, heading } = findPlace({ url, quotes: quotes.slice(at, at + 1) });
    const inside = covered[0]?.node.parentElement ?? heading;
    if (inside) await unfold(inside);
  }
}

/** Moves reading to the place, as following a link does, and leaves no attribute behind. */
function focusOnce(target: HTMLElement): void {
  if (!target.hasAttribute("tabindex")) {
    target.setAttribute("tabindex", "-1");
    target.addEventListener("blur", () => target.removeAttribute("tabindex"), { once: true });
  }
  target.focus({ preventScroll: true });
}
