import type { ReactiveController, ReactiveControllerHost } from "lit";
import { countWords, type PageSelection, putBelow, SelectionWatcher, truncateSelection } from "./selection";

interface Host extends ReactiveControllerHost, HTMLElement {
  readonly renderRoot: ParentNode;
  /** Of the shortest selection that is answered from itself. */
  minWords: number;
  readonly isOpen: boolean;
}

/** What the reader selects in the page, and what of it a question holds. */
export class HeldSelection implements ReactiveController {
  /** Selected in the page, and not held yet. */
  found: PageSelection | null = null;
  /** Held, already cut; "" without a selection. */
  text = "";
  /** What stands before it in the page. */
  prefix = "";
  truncated = false;
  private placed: PageSelection | null = null;
  /** What was selected when it was taken. */
  private taken: PageSelection | null = null;
  private readonly watcher: SelectionWatcher;

  constructor(
    private readonly host: Host,
    private readonly tellFound: () => void,
  ) {
    this.watcher = new SelectionWatcher(host, (selection) => this.notice(selection));
    host.addController(this);
  }

  hostConnected(): void {
    this.watcher.start();
  }

  hostDisconnected(): void {
    this.watcher.stop();
  }

  hostUpdated(): void {
    const { found } = this;
    const acts = this.host.renderRoot.querySelector<HTMLElement>(".ask-selection");
    if (found && acts && found !== this.placed) putBelow(acts, found.rect);
    this.placed = found;
  }

  get tooShort(): boolean {
    return !this.isLong(this.text);
  }

  isLong(text: string): boolean {
    return countWords(text) >= this.host.minWords;
  }

  /** Holds what is selected, so that the reader may choose to ask about it alone. */
  take(): void {
    if (!this.found) return;
    const { text, truncated } = truncateSelection(this.found.text, this.found.codeLines);
    this.text = text;
    this.prefix = this.found.prefix;
    this.truncated = truncated;
    this.taken = this.found;
    this.found = null;
    this.host.requestUpdate();
  }

  private notice(selection: PageSelection | null): void {
    // The page goes on showing what the open panel holds.
    const isHeld = this.host.isOpen && this.taken?.text === selection?.text && this.taken?.prefix === selection?.prefix;
    const selected = isHeld ? null : selection;
    if (selected && !this.found) this.tellFound();
    this.found = selected;
    this.host.requestUpdate();
  }
}
