/** Rough tokens per word, and the most of them a selection may have. */
const TOKENS_PER_WORD = 1.3;
const MOST_TOKENS = 2000;
const WORD = /[\p{L}\p{N}]+/gu;

/** Words are runs of letters or digits, so code counts too. */
export function countWords(text: string): number {
  return text.match(WORD)?.length ?? 0;
}

/** Cuts after the last word that fits into 2,000 tokens. */
export function truncateSelection(text: string): { text: string; truncated: boolean } {
  const mostWords = Math.floor(MOST_TOKENS / TOKENS_PER_WORD);
  let words = 0;
  for (const match of text.matchAll(WORD)) {
    words += 1;
    if (words === mostWords) {
      const end = match.index + match[0].length;
      const truncated = countWords(text.slice(end)) > 0;
      return { text: truncated ? text.slice(0, end) : text, truncated };
    }
  }
  return { text, truncated: false };
}

/** The beginning of a text, cut at a word, on one line. */
export function excerptOf(text: string, most = 180): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const cut = line.slice(0, most + 1).replace(/\s+\S*$/, "");
  return `${cut.slice(0, most)}…`;
}

export interface PageSelection {
  text: string;
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

  private press = (): void => {
    this.pointerDown = true;
  };

  private release = (): void => {
    this.pointerDown = false;
    this.later();
  };

  private later = (): void => {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(this.look, 120);
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
  return { text, rect };
}

/** Puts a fixed button below a place on the screen, and never outside of it. */
export function putBelow(button: HTMLElement, { right, bottom }: DOMRect): void {
  const left = Math.min(right, innerWidth - button.offsetWidth - 8);
  const top = Math.min(bottom + 8, innerHeight - button.offsetHeight - 8);
  button.style.left = `${Math.max(8, left)}px`;
  button.style.top = `${Math.max(8, top)}px`;
}
