import { type CoveredPiece, rangeOf } from "./page-text";

const HIGHLIGHT = "quoth-quote";
const undo: (() => void)[] = [];

/** Highlights what quotes cover in the page, given in its order, and nothing that stands in between. */
export function highlight(covered: readonly CoveredPiece[]): void {
  const drawn = covered.filter((piece) => !isBetweenBlocks(piece));
  if ("highlights" in CSS && typeof Highlight === "function") {
    CSS.highlights.set(HIGHLIGHT, new Highlight(...drawn.map(rangeOf)));
  } else {
    // The last first: a mark splits its text, and what stands before keeps its offsets.
    for (const piece of drawn.reverse()) mark(piece);
  }
}

/** White space that is not drawn: a list must hold nothing but its items. */
function isBetweenBlocks(piece: CoveredPiece): boolean {
  const range = rangeOf(piece);
  return piece.node instanceof Text && range.toString().trim() === "" && range.getClientRects().length === 0;
}

/** Wraps a stretch in <mark>, for browsers without the Custom Highlight API. */
function mark({ node, start, end }: CoveredPiece): void {
  const element = document.createElement("mark");
  element.className = HIGHLIGHT;
  if (!(node instanceof Text)) {
    node.replaceWith(element);
    element.append(node);
    undo.push(() => element.replaceWith(node));
    return;
  }
  const { data } = node;
  const rest = node.splitText(end);
  const quoted = node.splitText(start);
  quoted.replaceWith(element);
  element.append(quoted);
  // The page's own script may know its text nodes: each is put back as it was, none is joined.
  undo.push(() => {
    element.remove();
    rest.remove();
    node.data = data;
  });
}

/** Takes the highlight away, and leaves the page as it was. */
export function clearHighlight(): void {
  if ("highlights" in CSS) CSS.highlights.delete(HIGHLIGHT);
  for (const each of undo.splice(0).reverse()) each();
}
