import type { Quote } from "./api-types";
import { idInHash, isSamePage } from "./links";
import { findQuote } from "./quote-text";

const HIGHLIGHT = "quoth-quote";
const STORED_PLACE = "quoth-place";
/** A place waits this long, in ms, for its page; a navigation given up must not surprise later. */
const STORED_FOR = 30_000;
const NOT_TEXT = "script,style,noscript,template,button,select,textarea,quoth-widget";
const BLOCK = "p,li,pre,td,th,dd,dt,blockquote,figcaption,summary,h1,h2,h3,h4,h5,h6,div,section,article";

/** What a citation points to. */
export interface Place {
  url: string;
  quote: Quote;
}

export type Shown = "quote" | "section" | "nowhere";

function mainContent(): Element {
  return (
    document.querySelector("main, [role=main]") ?? document.querySelector("article") ?? document.body
  );
}

/** Finds the quote in the page's main content, preferring what stands below the url's heading. */
export function findPlace(place: Place): { range: Range | null; heading: Element | null } {
  const id = idInHash(place.url);
  const heading = id ? document.getElementById(id) : null;
  const walker = document.createTreeWalker(mainContent(), NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest(NOT_TEXT) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  const from = heading ? nodes.findIndex((node) => startsAtOrAfter(heading, node)) : 0;
  const texts = nodes.map((node) => node.data);
  const span = findQuote(texts, place.quote, from < 0 ? nodes.length : from);
  const first = span && nodes[span.start.piece];
  const last = span && nodes[span.end.piece];
  if (!first || !last) return { range: null, heading };
  const range = document.createRange();
  range.setStart(first, span.start.offset);
  range.setEnd(last, span.end.offset);
  return { range, heading };
}

function startsAtOrAfter(heading: Element, node: Node): boolean {
  return (heading.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

/**
 * Scrolls to the quote and highlights it; without it, scrolls to the heading. `rightEdge` is how
 * far the text shown reaches on the screen, in px.
 */
export function showPlace(place: Place): { shown: Shown; rightEdge: number } {
  clearHighlight();
  const { range, heading } = findPlace(place);
  const start = range?.startContainer.parentElement;
  const target = start?.closest(BLOCK) ?? start ?? heading;
  if (!target) return { shown: "nowhere", rightEdge: 0 };
  for (let box = target.closest("details"); box; box = box.parentElement?.closest("details") ?? null) {
    box.open = true; // what is folded away cannot be scrolled to
  }
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const block = range ? "center" : "start";
  (start ?? target).scrollIntoView({ block, behavior: calm ? "auto" : "smooth" });
  focusOnce(target as HTMLElement);
  if (!range) return { shown: "section", rightEdge: target.getBoundingClientRect().left + 1 };
  const rightEdge = range.getBoundingClientRect().right; // before marks may split the range's nodes
  highlight(range);
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

function highlight(range: Range): void {
  if ("highlights" in CSS && typeof Highlight === "function") {
    CSS.highlights.set(HIGHLIGHT, new Highlight(range));
  } else {
    markRange(range);
  }
}

/** Wraps the range's texts in <mark>, for browsers without the Custom Highlight API. */
function markRange(range: Range): void {
  const walker = document.createTreeWalker(range.commonAncestorContainer, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  for (let node: Node | null = walker.currentNode; node; node = walker.nextNode()) {
    if (node instanceof Text && range.intersectsNode(node)) nodes.push(node);
  }
  const { startContainer, startOffset, endContainer, endOffset } = range;
  for (const node of nodes) {
    const part = document.createRange();
    part.setStart(node, node === startContainer ? startOffset : 0);
    part.setEnd(node, node === endContainer ? endOffset : node.length);
    if (part.collapsed) continue;
    const mark = document.createElement("mark");
    mark.className = HIGHLIGHT;
    part.surroundContents(mark);
  }
}

export function clearHighlight(): void {
  if ("highlights" in CSS) CSS.highlights.delete(HIGHLIGHT);
  for (const mark of document.querySelectorAll(`mark.${HIGHLIGHT}`)) {
    const parent = mark.parentNode;
    mark.replaceWith(...mark.childNodes);
    parent?.normalize();
  }
}

/** Keeps a place for the page that is about to load. */
export function storePlace(place: Place): void {
  try {
    sessionStorage.setItem(STORED_PLACE, JSON.stringify({ ...place, at: Date.now() }));
  } catch {
    // Storage may be switched off; the hash still leads to the heading.
  }
}

/** Takes the stored place when it belongs to this page; it is given out once. */
export function takeStoredPlace(): Place | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORED_PLACE) ?? "null");
    if (!isPlace(stored) || !isSamePage(stored.url, location.href)) return null;
    sessionStorage.removeItem(STORED_PLACE);
    return Date.now() - stored.at < STORED_FOR ? stored : null;
  } catch {
    return null;
  }
}

function isPlace(value: unknown): value is Place & { at: number } {
  const place = value as Partial<Place & { at: number }> | null;
  return (
    typeof place?.url === "string" &&
    typeof place.at === "number" &&
    [place.quote?.exact, place.quote?.prefix, place.quote?.suffix].every((t) => typeof t === "string")
  );
}
