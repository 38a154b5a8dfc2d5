/** Rough tokens per word, and the most of them a selection may have. */
const TOKENS_PER_WORD = 1.3;
const MOST_TOKENS = 2000;
/** In ms: a selection that has not changed for so long is looked at. */
const SETTLED = 120;
const WORD = /[\p{L}\p{N}]+/gu;

/** Words are runs of letters or digits, so code counts too. */
export function countWords(text: string): number {
  return text.match(WORD)?.length ?? 0;
}

/**
 * Cuts after the last word that fits into 2,000 tokens. `codeLines` are lines of code, which stay
 * whole: the cut goes before one that does not fit.
 */
export function truncateSelection(
  text: string,
  codeLines: ReadonlySet<string> = new Set(),
): { text: string; truncated: boolean } {
  const mostWords = Math.floor(MOST_TOKENS / TOKENS_PER_WORD);
  let words = 0;
  for (const match of text.matchAll(WORD)) {
    words += 1;
    if (words === mostWords) {
      const end = match.index + match[0].length;
      const truncated = countWords(text.slice(end)) > 0;
      return { text: truncated ? text.slice(0, endOfWhole(text, end, codeLines)) : text, truncated };
    }
  }
  return { text, truncated: false };
}

function endOfWhole(text: string, end: number, codeLines: ReadonlySet<string>): number {
  const start = text.lastIndexOf("\n", end - 1) + 1;
  const next = text.indexOf("\n", end);
  const line = text.slice(start, next < 0 ? text.length : next);
  if (!codeLines.has(line.trim())) return end;
  return countWords(text.slice(end, start + line.length)) === 0 ? start + line.length : start - 1;
}

export interface PageSelection {
  text: string;
  /** What stands before it in the page, to tell it from the same words elsewhere. */
  prefix: string;
  codeLines: ReadonlySet<string>;
  /** Where the selection ends on the screen. */
  rect: DOMRect;
}

/**
 * Tells when the reader has selected text in the page, by mouse, touch or keyboard.
 * `report` gets null when the selection is gone.
 */
export class SelectionWatcher {
  private pointerDown = false;
  private timer = 0;

  constructor(
    private readonly widget: HTMLElement,
    private readonly report: (selection: PageSelection | null) => void,
  ) {}

  start(): void {
    document.addEventListener("selectionchange", this.later);
    document.addEventListener("pointerdown", this.press, true);
    document.addEventListener("pointerup", this.release, true);
    document.addEventListener("pointercancel", this.release, true);
    window.addEventListener("scroll", this.later, { passive: true, capture: true });
    window.addEventListener("resize", this.later);
  }

  stop(): void {
    clearTimeout(this.timer);
    document.removeEventListener("selectionchange", this.later);
    document.removeEventListener("pointerdown", this.press, true);
    document.removeEventListener("pointerup", this.release, true);
    document.removeEventListener("pointercancel", this.release, true);
    window.removeEventListener("scroll", this.later, { capture: true });
    window.removeEventListener("resize", this.later);
  }

  private press = ({ pointerType, target }: PointerEvent): void => {
    // The handles of a selection by touch are the system's: they move without pointers, and a finger
    // that has selected a word may never be told to have left. A press on our own button counts.
    this.pointerDown = pointerType !== "touch" || target === this.widget;
  };

  private release = (): void => {
    this.pointerDown = false;
    this.later();
  };

  private later = (): void => {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(this.look, SETTLED);
  };

  private look = (): void => {
    // Inside the widget the page's selection says nothing about what the reader wants to ask.
    if (this.pointerDown || document.activeElement === this.widget) return;
    this.report(readSelection(this.widget));
  };
}

function readSelection(widget: HTMLElement): PageSelection | null {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  if (widget.contains(range.commonAncestorContainer)) return null;
  const text = selection.toString().trim();
  if (countWords(text) === 0) return null;
  const rects = range.getClientRects();
  const rect = rects[rects.length - 1] ?? range.getBoundingClientRect();
  return { text, rect, prefix: readPrefix(range), codeLines: readCodeLines(range) };
}

function readPrefix(range: Range): string {
  const before = document.createRange();
  before.setStart(document.body, 0);
  before.setEnd(range.startContainer, range.startOffset);
  return before.toString().replace(/\s+/g, " ").slice(-120);
}

function readCodeLines(range: Range): Set<string> {
  const lines = new Set<string>();
  for (const code of document.querySelectorAll("pre")) {
    if (!range.intersectsNode(code)) continue;
    for (const line of code.innerText.split("\n")) if (line.trim()) lines.add(line.trim());
  }
  return lines;
}

/** Whether fingers are what the reader points with. */
export const isTouched = () => matchMedia("(pointer: coarse)").matches;

/** Puts a fixed button below a place on the screen, and never outside of it. */
export function putBelow(button: HTMLElement, { right, bottom }: DOMRect): void {
  const left = Math.min(right, innerWidth - button.offsetWidth - 8);
  // Where fingers select, a handle hangs from the selection's end.
  const gap = isTouched() ? 36 : 8;
  const top = Math.min(bottom + gap, innerHeight - button.offsetHeight - 8);
  button.style.left = `${Math.max(8, left)}px`;
  button.style.top = `${Math.max(8, top)}px`;
}
