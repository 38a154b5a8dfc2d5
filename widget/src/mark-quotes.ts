import { type CoveredPiece, rangeOf } from "./page-text";

const CLICKED = "quoth-quote";
const QUOTED = "quoth-quoted";
let clicked: readonly CoveredPiece[] = [];
const undo: (() => void)[] = [];

/**
 * Highlights what the clicked quotes cover in the page, and lightly what the others do; nothing that
 * stands in between. Each is given in the page's order, and none covers what another does.
 */
export function highlight(pieces: readonly CoveredPiece[], others: readonly CoveredPiece[]): void {
  clicked = pieces;
  const drawn = (each: readonly CoveredPiece[]) => each.filter((piece) => !isBetweenBlocks(piece));
  const layers = [[CLICKED, drawn(pieces)], [QUOTED, drawn(others)]] as const;
  if ("highlights" in CSS && typeof Highlight === "function") {
    for (const [name, layer] of layers) CSS.highlights.set(name, new Highlight(...layer.map(rangeOf)));
    return;
  }
  const all = layers.flatMap(([name, layer]) => layer.map((piece) => ({ piece, name })));
  // The last of a text first: a mark splits it, and what stands before keeps its offsets.
  for (const { piece, name } of all.sort((a, b) => b.piece.start - a.piece.start)) mark(piece, name);
}

/** What the quotes cover that the reader was led to last. */
export const clickedPieces = (): readonly CoveredPiece[] => clicked;

/** White space that is not drawn: a list must hold nothing but its items. */
function isBetweenBlocks(piece: CoveredPiece): boolean {
  const range = rangeOf(piece);
  return piece.node instanceof Text && range.toString().trim() === "" && range.getClientRects().length === 0;
}

/** Wraps a stretch in <mark>, for browsers without the Custom Highlight API. */
function mark({ node, start, end }: CoveredPiece, name: string): void {
  const element = document.createElement("mark");
  element.className = name;
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
  clicked = [];
  if ("highlights" in CSS) for (const name of [CLICKED, QUOTED]) CSS.highlights.delete(name);
  for (const each of undo.splice(0).reverse()) each();
}
