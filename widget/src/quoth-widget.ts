import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { QuothApi } from "./api";
import type { Mode } from "./api-types";
import { Exchange } from "./exchange";
import { Jumps } from "./jumps";
import { readSuggestions, renderPanel } from "./panel-shell";
import { clearHighlight } from "./place";
import { countWords, type PageSelection, putBelow, SelectionWatcher, truncateSelection } from "./selection";
import { readSessionId } from "./session";
import { strings } from "./strings";
import { adoptPageRules, styles } from "./styles";

/**
 * `<quoth-widget endpoint="https://…">`: asks the book and leads to what it cites.
 *
 * Attributes: `endpoint` (the API's address, "" for the page's own origin), `page-source` (the
 * page's file in the book), `mode-note` (a line shown in the panel), `suggestions` (a JSON list of
 * questions), `min-words` (the shortest selection, 20).
 * Events: `quoth-answer` {question, answer}; `quoth-navigate` {url, quote, samePage}, which a page
 * with its own router cancels and follows itself.
 */
export class QuothWidget extends LitElement {
  static override styles = styles;
  static override properties = {
    endpoint: {},
    pageSource: { attribute: "page-source" },
    modeNote: { attribute: "mode-note" },
    suggestions: {},
    minWords: { attribute: "min-words", type: Number },
    isOpen: { state: true },
    mode: { state: true },
    question: { state: true },
    problem: { state: true },
    selectedText: { state: true },
    found: { state: true },
    announcement: { state: true },
  };

  declare endpoint: string;
  declare pageSource: string;
  declare modeNote: string;
  declare suggestions: string;
  declare minWords: number;
  private declare isOpen: boolean;
  private declare mode: Mode;
  private declare question: string;
  private declare problem: string;
  private declare selectedText: string;
  private declare found: PageSelection | null;
  private declare announcement: string;

  private truncated = false;
  private api: QuothApi | null = null;
  private opener: Element | null = null;
  private readonly watcher = new SelectionWatcher(this, (selection) => this.noticeSelection(selection));
  private readonly exchange = new Exchange(this, (question, answer) => {
    const detail = { question, answer };
    this.dispatchEvent(new CustomEvent("quoth-answer", { detail, bubbles: true, composed: true }));
  });
  private readonly jumps = new Jumps(this, (sentence, rightEdge) => {
    this.announcement = sentence;
    // The panel must not hide the place it has just led to.
    const panel = this.renderRoot.querySelector(".panel")?.getBoundingClientRect();
    if (panel && panel.left < rightEdge) this.isOpen = false;
  });

  constructor() {
    super();
    this.endpoint = this.pageSource = this.modeNote = this.suggestions = "";
    this.question = this.problem = this.selectedText = this.announcement = "";
    this.minWords = 20;
    this.mode = "book-wide";
    this.isOpen = false;
    this.found = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    adoptPageRules();
    this.watcher.start();
    document.addEventListener("keydown", this.pressKey);
    this.jumps.resume();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.watcher.stop();
    this.jumps.stop();
    document.removeEventListener("keydown", this.pressKey);
  }

  /** Opens the panel and moves the focus into its question. */
  open = (): void => {
    if (!this.isOpen) this.opener = document.activeElement;
    this.isOpen = true;
    this.takeSelection();
    this.connectApi().prepare();
    void this.focusQuestion();
  };

  /** Closes the panel; a focus inside goes back to where it came from. */
  close = (): void => {
    if (!this.isOpen) return;
    const hadFocus = document.activeElement === this;
    this.isOpen = false;
    if (hadFocus) void this.returnFocus();
  };

  /** Asks as if the reader had typed the question; without one, only opens the panel. */
  ask(question = ""): void {
    this.open();
    if (question === "") return;
    this.question = question.slice(0, 1000);
    void this.updateComplete.then(this.submit);
  }

  /** Takes the widget out of the page, with the highlight it may have left there. */
  destroy(): void {
    clearHighlight();
    this.remove();
  }

  private async focusQuestion(): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector("textarea")?.focus();
  }

  private async returnFocus(): Promise<void> {
    await this.updateComplete;
    const { opener } = this;
    const outside = opener?.isConnected && opener !== this && opener !== document.body;
    const target = outside ? opener : this.renderRoot.querySelector(".launcher");
    if (target instanceof HTMLElement) target.focus();
  }

  private connectApi(): QuothApi {
    if (this.api?.endpoint === this.endpoint) return this.api;
    return (this.api = new QuothApi(this.endpoint, readSessionId()));
  }

  private pressKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return;
    if (event.key === "Escape") this.close();
    // By code: with Alt, some keyboards type another character here.
    if (event.altKey && event.code === "KeyQ" && this.found) {
      event.preventDefault();
      this.openWithSelection();
    }
  };

  private noticeSelection(selection: PageSelection | null): void {
    if (selection && !this.found) this.announcement = strings.selectionHint;
    this.found = selection;
  }

  /** Holds what is selected, so that the reader may choose to ask about it alone. */
  private takeSelection(): void {
    if (!this.found) return;
    const { text, truncated } = truncateSelection(this.found.text);
    this.selectedText = text;
    this.truncated = truncated;
    this.found = null;
  }

  private openWithSelection = (): void => {
    this.mode = "selected-text";
    this.problem = "";
    this.open();
  };

  private askAgain = (question: string): void => {
    this.question = question;
    this.submit();
  };

  private askWholeBook = (): void => {
    this.mode = "book-wide";
    if (this.question.trim()) this.submit();
    else void this.focusQuestion();
  };

  private retry = (): void => {
    const { asked } = this.exchange;
    if (asked) void this.exchange.start(this.connectApi(), asked);
  };

  private submit = (): void => {
    const question = this.question.trim();
    this.problem = question === "" ? strings.emptyQuestion : "";
    if (this.problem || this.isTooShort()) return;
    clearHighlight();
    const { mode, selectedText, pageSource } = this;
    const bySource = pageSource !== "" && mode === "book-wide";
    const page = bySource ? { source_path: pageSource } : { permalink: location.pathname };
    const asking = { question, mode, selectedText, sessionId: readSessionId(), page };
    void this.exchange.start(this.connectApi(), asking);
  };

  private isTooShort = () => this.mode === "selected-text" && countWords(this.selectedText) < this.minWords;

  protected override updated(changed: PropertyValues): void {
    const button = changed.has("found") && this.renderRoot.querySelector<HTMLElement>(".ask-selection");
    if (button && this.found) putBelow(button, this.found.rect);
  }

  protected override render(): TemplateResult {
    return html`${this.found ? this.renderSelectionButton() : nothing}
      ${this.isOpen ? this.renderPanel() : this.renderLauncher()}
      <div class="sr" role="status">${this.announcement}</div>`;
  }

  private renderSelectionButton(): TemplateResult {
    return html`<button
      class="ask-selection"
      part="ask-selection"
      type="button"
      aria-keyshortcuts="Alt+Q"
      @mousedown=${(event: Event) => event.preventDefault()}
      @click=${this.openWithSelection}
    >
      ${strings.selectionButton}
    </button>`;
  }

  private renderLauncher(): TemplateResult {
    return html`<button class="launcher" part="launcher" type="button" aria-haspopup="dialog" @click=${this.open}>
      ${strings.launcher}
    </button>`;
  }

  private renderPanel(): TemplateResult {
    const { exchange, jumps, modeNote, close, retry, askAgain, askWholeBook, submit } = this;
    const { question, mode, selectedText, truncated, minWords, problem } = this;
    const typeQuestion = (text: string) => (this.question = text);
    const chooseMode = (chosen: Mode) => (this.mode = chosen);
    const selection = { selectedText, truncated, tooShort: this.isTooShort(), minWords };
    const form = { question, mode, ...selection, problem, typeQuestion, chooseMode, submit };
    const texts = { modeNote, suggestions: readSuggestions(this.suggestions) };
    return renderPanel({ exchange, jumps, form, ...texts, close, retry, askAgain, askWholeBook });
  }
}

if (!customElements.get("quoth-widget")) customElements.define("quoth-widget", QuothWidget);

declare global {
  interface HTMLElementTagNameMap {
    "quoth-widget": QuothWidget;
  }
}
