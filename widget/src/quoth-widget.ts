import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { QuothApi } from "./api";
import type { Citation, FeedbackRequest, Mode } from "./api-types";
import type { Part } from "./cited-parts";
import { composeAsking, readChapter } from "./compose-question";
import { readConversation, type Conversation } from "./conversation";
import { type AnswerParts, Exchange } from "./exchange";
import { Jumps } from "./jumps";
import { isTyping, renderLauncher, renderSelectionButton } from "./launcher";
import { properties } from "./properties";
import { readSuggestions, renderPanel } from "./panel-shell";
import { countWords, isTouched, type PageSelection, putBelow, SelectionWatcher, truncateSelection } from "./selection";
import { hasKept, readSessionId, storeConversation, takeConversation } from "./session";
import { strings, useLanguage } from "./strings";
import { adoptPageRules, styles } from "./styles";

/**
 * `<quoth-widget endpoint="https://…">`: asks the book and leads to what it cites.
 *
 * Attributes: `endpoint` (the API's address, "" for the page's own origin), `page-source` (the
 * page's file in the book), `page-version` and `page-locale` (where the book has several),
 * `chapter-id` and `chapter-title` (else read from the page), `book-title`, `language` (the page's
 * own, else English), `mode-note` (a line shown in the panel), `suggestions` (a JSON list of
 * questions), `min-words` (the shortest selection, 20).
 * Events: `quoth-answer` {question, answer}; `quoth-navigate` {url, quote, quotes, samePage},
 * which a page with its own router cancels and follows itself.
 */
export class QuothWidget extends LitElement {
  static override styles = styles;
  static override properties = properties;

  declare endpoint: string;
  declare pageSource: string;
  declare pageVersion: string;
  declare pageLocale: string;
  declare chapterId: string;
  declare chapterTitle: string;
  declare bookTitle: string;
  declare language: string;
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
  private declare prefersChapter: boolean;

  /** What the launcher says instead of its name. */
  private launcher = "";
  private truncated = false;
  private textBefore = "";
  private api: QuothApi | null = null;
  private opener: Element | null = null;
  private readonly watcher = new SelectionWatcher(this, (selection) => this.noticeSelection(selection));
  private readonly exchange = new Exchange(this, (question, answer) => {
    const detail = { question, answer };
    this.dispatchEvent(new CustomEvent("quoth-answer", { detail, bubbles: true, composed: true }));
    if (!this.isOpen) this.launcher = this.announcement = strings.answerReady;
  });
  private readonly jumps = new Jumps(this, (sentence, rightEdge) => {
    this.announcement = sentence;
    // The panel must not hide the place it has just led to.
    const panel = this.renderRoot.querySelector(".panel")?.getBoundingClientRect();
    if (panel && panel.left < rightEdge && panel.right > 0) this.isOpen = false;
  }, () => this.keepConversation());

  constructor() {
    super();
    this.endpoint = this.pageSource = this.modeNote = this.suggestions = "";
    this.pageVersion = this.pageLocale = this.chapterId = this.chapterTitle = "";
    this.bookTitle = this.language = "";
    this.prefersChapter = true;
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
    this.resumeConversation(readConversation(takeConversation()));
    this.jumps.resume();
    if (hasKept()) void this.resumeWaiting();
    const language = this.language || document.documentElement.lang;
    void useLanguage(language).catch(() => undefined).then(() => {
      this.lang = strings.lang; // English, where there are no others: a page in another language is told
      this.requestUpdate();
    });
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
    this.launcher = "";
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
    this.exchange.view?.clearHighlight();
    this.remove();
  }

  private keepConversation(): void {
    const { asked, answer } = this.exchange;
    if (!asked || !answer) return;
    const { isOpen, mode, question, selectedText } = this;
    storeConversation({ asked, answer, isOpen, mode, question, selectedText } satisfies Conversation);
  }

  private resumeConversation(kept: Conversation | null): void {
    if (!kept) return;
    this.exchange.restore(kept.asked, kept.answer);
    this.isOpen = kept.isOpen;
    this.mode = kept.mode;
    this.question = kept.question;
    this.selectedText = kept.selectedText;
  }

  private async resumeWaiting(): Promise<void> {
    const asked = await this.exchange.resume(this.connectApi());
    if (!asked || this.question) return;
    this.question = asked.question;
    this.mode = asked.mode;
    this.selectedText = asked.selectedText;
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
    if (event.altKey && event.code === "KeyQ" && this.found && !isTyping(event)) {
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
    const { text, truncated } = truncateSelection(this.found.text, this.found.codeLines);
    this.selectedText = text;
    this.textBefore = this.found.prefix;
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
    // The keyboard on the screen would hide the answer.
    if (isTouched()) this.renderRoot.querySelector<HTMLElement>("[type=submit]")?.focus();
    this.exchange.view?.clearHighlight();
    const chapter = this.prefersChapter ? readChapter(this) : null;
    const held = { selectedText: this.selectedText, prefix: this.textBefore };
    const asking = composeAsking(question, this.mode, held, this, chapter);
    void this.exchange.start(this.connectApi(), asking);
  };

  private isTooShort = () => this.mode === "selected-text" && countWords(this.selectedText) < this.minWords;

  private copyCitation = (citation: Citation, format: "apa" | "bibtex" | "link"): Promise<void> =>
    this.copy(({ copyCitation }) => copyCitation(citation, format, this.bookTitle));

  private copyCode = (code: string): Promise<void> => this.copy(({ copyText }) => copyText(code));

  private async copy(put: (view: AnswerParts) => Promise<boolean>): Promise<void> {
    this.announcement = "";
    const copied = await put(await import("./answer-view"));
    await this.updateComplete;
    this.announcement = copied ? strings.copied : strings.notCopied;
  }

  private sendFeedback = (request: Omit<FeedbackRequest, "session_id">): Promise<void> =>
    this.connectApi().sendFeedback(request);

  protected override updated(changed: PropertyValues): void {
    this.jumps.markAnswer(this.exchange.answer);
    const button = changed.has("found") && this.renderRoot.querySelector<HTMLElement>(".ask-selection");
    if (button && this.found) putBelow(button, this.found.rect);
  }

  protected override render(): TemplateResult {
    return html`${this.found ? renderSelectionButton(this.openWithSelection) : nothing}
      ${this.isOpen ? this.renderPanel() : renderLauncher(this.launcher || strings.launcher, this.open)}
      <div class="sr" role="status">${this.announcement}</div>`;
  }

  /** The selection, with what the answer cites of it told from the rest. */
  private partsOfSelection(): Part[] {
    const { asked, answer, view } = this.exchange;
    const isAsked = asked?.selectedText === this.selectedText;
    if (answer && view && isAsked) return view.splitAtQuotes(this.selectedText, answer.citations);
    return [{ text: this.selectedText, cited: false }];
  }

  private renderPanel(): TemplateResult {
    const { exchange, jumps, modeNote, close, retry, askAgain, askWholeBook, submit } = this;
    const { question, mode, selectedText, truncated, minWords, problem } = this;
    const typeQuestion = (text: string) => (this.question = text);
    const chooseMode = (chosen: Mode) => (this.mode = chosen);
    const held = { selectedText, parts: this.partsOfSelection(), truncated, hasSource: this.pageSource !== "" };
    const selection = { ...held, tooShort: this.isTooShort(), minWords };
    const form = { question, mode, ...selection, problem, typeQuestion, chooseMode, submit };
    const texts = { modeNote, suggestions: readSuggestions(this.suggestions) };
    const { prefersChapter, copyCitation, copyCode, sendFeedback } = this;
    const preferChapter = (wanted: boolean) => (this.prefersChapter = wanted);
    const place = { chapter: readChapter(this), prefersChapter, preferChapter };
    const acts = { close, retry, askAgain, askWholeBook, copyCitation, copyCode, sendFeedback };
    return renderPanel({ exchange, jumps, form, ...texts, ...place, ...acts });
  }
}

if (!customElements.get("quoth-widget")) customElements.define("quoth-widget", QuothWidget);

/** One script tag is enough: its `data-endpoint` and other data become the widget's attributes. */
function placeWidget(): void {
  const script = document.querySelector('script[src*="quoth-widget.js"][data-endpoint]');
  if (!script || document.querySelector("quoth-widget")) return;
  const widget = document.createElement("quoth-widget");
  for (const { name, value } of script.attributes) {
    if (name.startsWith("data-")) widget.setAttribute(name.slice(5), value);
  }
  document.body.append(widget);
}

placeWidget();

declare global {
  interface HTMLElementTagNameMap {
    "quoth-widget": QuothWidget;
  }
}
