import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { QuothApi } from "./api";
import type { Citation, FeedbackRequest, Mode } from "./api-types";
import type { Part } from "./cited-parts";
import { composeAsking, pageOf, readChapter } from "./compose-question";
import { type PanelState, readConversation, storeConversation } from "./conversation";
import { dock, isSheet, roomBeside, USUAL_WIDTH } from "./dock";
import { Exchange } from "./exchange";
import { Jumps } from "./jumps";
import { isTyping, renderLauncher, renderSelectionActs } from "./launcher";
import { properties } from "./properties";
import { type Asking, charactersLeft } from "./question";
import type { SectionSearch } from "./search-sections";
import { countWords, isTouched, type PageSelection, putBelow, SelectionWatcher, truncateSelection } from "./selection";
import { endSession, forgetKept, hasKept, readSessionId } from "./session";
import { strings, useLanguage } from "./strings";
import { adoptPageRules, styles } from "./styles";

/**
 * `<quoth-widget endpoint="https://…">`: asks the book and leads to what it cites.
 *
 * Attributes: `endpoint` (the API's address, "" for the page's own origin), `page-source` (the
 * page's file in the book), `page-version` and `page-locale` (where the book has several),
 * `chapter-id` and `chapter-title` (else read from the page), `book-title`, `language` (the page's
 * own, else English), `mode-note` (a line shown in the panel), `suggestions` (a JSON list of
 * questions, instead of those the book answers from the page), `min-words` (the shortest selection, 20).
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
  private declare panel: PanelState;
  private declare mode: Mode;
  private declare question: string;
  private declare problem: string;
  private declare selectedText: string;
  private declare found: PageSelection | null;
  private declare announcement: string;
  private declare prefersChapter: boolean;
  private declare search: SectionSearch | null;
  /** null before the book was asked for questions. */
  private declare suggested: string[] | null;
  private declare width: number;

  /** The panel itself; loaded when it is opened first. */
  private shell: typeof import("./panel-shell") | null = null;
  /** What the launcher says instead of its name. */
  private launcher = "";
  private truncated = false;
  private shownAsked: Asking | null = null;
  private textBefore = "";
  private api: QuothApi | null = null;
  private opener: Element | null = null;
  private readonly watcher = new SelectionWatcher(this, (selection) => this.noticeSelection(selection));
  private readonly exchange = new Exchange(this, (question, answer) => {
    const detail = { question, answer };
    this.dispatchEvent(new CustomEvent("quoth-answer", { detail, bubbles: true, composed: true }));
    if (!this.isOpen) this.launcher = this.announcement = strings.answerReady;
    this.keep();
  });
  private readonly jumps = new Jumps(this, (sentence, rightEdge) => {
    this.announcement = sentence;
    // The panel must not hide the place it has just led to.
    const panel = this.renderRoot.querySelector(".panel")?.getBoundingClientRect();
    if (panel && panel.left < rightEdge && panel.right > 0) this.panel = "bar";
  }, () => isSheet() && this.isOpen && (this.panel = "bar"));

  constructor() {
    super();
    this.endpoint = this.pageSource = this.modeNote = this.suggestions = "";
    this.pageVersion = this.pageLocale = this.chapterId = this.chapterTitle = "";
    this.bookTitle = this.language = "";
    this.prefersChapter = true;
    this.question = this.problem = this.selectedText = this.announcement = "";
    this.minWords = 20;
    this.mode = "book-wide";
    this.panel = "closed";
    this.found = this.search = this.suggested = null;
    this.width = USUAL_WIDTH;
  }

  private get isOpen(): boolean {
    return this.panel === "open";
  }

  override connectedCallback(): void {
    super.connectedCallback();
    adoptPageRules();
    this.watcher.start();
    document.addEventListener("keydown", this.pressKey);
    window.addEventListener("pagehide", this.keep);
    window.addEventListener("pageshow", this.resumeShown);
    roomBeside.addEventListener("change", this.redraw);
    this.resumeConversation();
    this.jumps.resume();
    if (hasKept()) void this.resumeWaiting();
    const language = this.language || document.documentElement.lang;
    void useLanguage(language).catch(() => undefined).then(() => {
      this.lang = strings.lang; // English, where there are no others: a page in another language is told
      this.redraw();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.watcher.stop();
    this.jumps.stop();
    document.removeEventListener("keydown", this.pressKey);
    window.removeEventListener("pagehide", this.keep);
    window.removeEventListener("pageshow", this.resumeShown);
    roomBeside.removeEventListener("change", this.redraw);
    dock(0);
  }

  /** Opens the panel and moves the focus into its question. */
  open = (): void => {
    if (!this.isOpen) this.opener = document.activeElement;
    this.panel = "open";
    this.launcher = "";
    this.takeSelection();
    this.connectApi().prepare();
    void this.focusQuestion();
  };

  /** Closes the panel; a focus inside goes back to where it came from. */
  close = (): void => {
    if (!this.isOpen) return;
    const hadFocus = document.activeElement === this;
    this.panel = "closed";
    if (hadFocus) void this.returnFocus();
  };

  /** Asks as if the reader had typed the question; without one, only opens the panel. */
  ask(question = ""): void {
    this.open();
    if (question === "") return;
    this.question = question;
    void this.updateComplete.then(this.submit);
  }

  /** Takes the widget out of the page, with the highlight it may have left there. */
  destroy(): void {
    this.exchange.view?.clearHighlight();
    this.remove();
  }

  private redraw = (): void => this.requestUpdate();

  /** Stores everything that the next page of the tab goes on with. */
  private keep = (): void => {
    const { panel, mode, question, selectedText, width } = this;
    const { turns, waiting } = this.exchange;
    const scroll = this.renderRoot.querySelector(".body")?.scrollTop ?? 0;
    storeConversation({ turns, waiting, panel, mode, question, selectedText, width, scroll });
  };

  private resumeConversation(): void {
    const kept = readConversation();
    if (!kept) return;
    Object.assign(this, { panel: kept.panel, mode: kept.mode, question: kept.question });
    Object.assign(this, { selectedText: kept.selectedText, width: kept.width || USUAL_WIDTH });
    this.shownAsked = kept.turns.at(-1)?.asked ?? null;
    const restored = this.exchange.restore(kept.turns).then(() => this.updateComplete);
    void restored.then(() => this.scrollBody(kept.scroll), () => undefined); // as it was before any answer
    if (kept.waiting && !hasKept()) void this.start(kept.waiting);
  }

  /** A page that the browser had kept whole may have missed a part of the conversation. */
  private resumeShown = (event: PageTransitionEvent): void => {
    if (event.persisted) this.resumeConversation();
  };

  private async resumeWaiting(): Promise<void> {
    const asked = await this.exchange.resume(this.connectApi());
    if (!asked) return;
    this.mode = asked.mode;
    this.selectedText = asked.selectedText;
  }

  private startAnew = (): void => {
    endSession();
    forgetKept();
    this.api = null;
    this.question = this.problem = this.selectedText = "";
    this.mode = "book-wide";
    this.exchange.view?.clearHighlight();
    void this.exchange.restore([]);
    this.keep();
    void this.focusQuestion();
  };

  /** Questions for a page on which nothing was asked yet. */
  private async suggest(): Promise<void> {
    if (!this.isOpen || this.suggestions || this.suggested || this.exchange.asked || this.mode !== "book-wide") return;
    this.suggested = [];
    this.suggested = await this.connectApi().suggestQuestions(pageOf(this)).catch(() => []);
  }

  private async focusQuestion(): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>("#question")?.focus();
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

  private isLong = (text: string) => countWords(text) >= this.minWords;

  /** Explains a passage from itself; what is too short for that, from the book. */
  private explain = (): void => {
    const { text } = this.found as PageSelection;
    this.openWithSelection();
    if (this.isLong(text)) return this.askAgain(strings.explainThis);
    this.mode = "book-wide";
    this.askAgain(strings.explainWords(text.replace(/\s+/g, " ")));
  };

  private summarise = (): void => {
    this.openWithSelection();
    this.askAgain(strings.summariseThis);
  };

  /** Asks a question that is not in the field; what is there stays. */
  private askAgain = (question: string): void => {
    const typed = this.question;
    this.question = question;
    this.submit();
    this.question ||= typed;
  };

  /** Without a question, the one in the field. */
  private askWholeBook = (question = ""): void => {
    this.mode = "book-wide";
    if (question) this.askAgain(question);
    else if (this.question.trim()) this.submit();
    else void this.focusQuestion();
  };

  private retry = (): void => {
    const { asked } = this.exchange;
    if (!asked) return;
    if (this.question === asked.question) this.question = "";
    void this.start(asked);
  };

  /** Asks; a question that gets no answer goes back into the field. */
  private async start(asking: Asking): Promise<void> {
    const { exchange } = this;
    await exchange.start(this.connectApi(), asking);
    if (exchange.asked === asking && exchange.failure) this.question ||= asking.question;
  }

  private typeQuestion = async (text: string): Promise<void> => {
    const wasTooLong = charactersLeft(this.question) < 0;
    this.question = text;
    this.problem = "";
    const left = charactersLeft(text);
    if (left < 0 && !wasTooLong) this.announcement = strings.tooLong(-left);
    if (!this.search) {
      const loaded = await import("./search-sections").catch(() => null); // asking works without it
      const announce = (sentence: string) => (this.announcement = sentence);
      this.search ??= loaded && new loaded.SectionSearch(this, announce, this.leadTo);
    }
    // Once loaded, in the same turn as the key: an Enter right after it must not find the former list.
    this.search?.type(this.question, this.connectApi());
  };

  private leadTo = (url: string, event: Event): void => {
    this.question = "";
    this.jumps.links.goToSection(url, event);
  };

  private submit = (): void => {
    const question = this.question.trim();
    this.problem = question === "" ? strings.emptyQuestion : "";
    if (this.problem || this.isTooShort() || charactersLeft(question) < 0) return;
    this.search?.close();
    // The keyboard on the screen would hide the answer.
    if (isTouched()) this.renderRoot.querySelector<HTMLElement>("[type=submit]")?.focus();
    this.exchange.view?.clearHighlight();
    const chapter = this.prefersChapter ? readChapter(this) : null;
    const held = { selectedText: this.selectedText, prefix: this.textBefore };
    const asking = composeAsking(question, this.mode, held, this, chapter);
    this.question = "";
    void this.start(asking);
  };

  private isTooShort = () => this.mode === "selected-text" && !this.isLong(this.selectedText);

  private copyCitation = (citation: Citation, format: "apa" | "bibtex" | "link"): Promise<void> =>
    this.copy(({ copyCitation }) => copyCitation(citation, format, this.bookTitle));

  private copyCode = (code: string): Promise<void> => this.copy(({ copyText }) => copyText(code));

  private async copy(put: (copying: typeof import("./copy-citation")) => Promise<boolean>): Promise<void> {
    this.announcement = "";
    const copied = await put(await import("./copy-citation"));
    await this.updateComplete;
    this.announcement = copied ? strings.copied : strings.notCopied;
  }

  private sendFeedback = (request: Omit<FeedbackRequest, "session_id">): Promise<void> =>
    this.connectApi().sendFeedback(request);

  /** An update of an open panel is complete when the panel is there. */
  protected override async getUpdateComplete(): Promise<boolean> {
    if (this.isOpen && !this.shell) {
      try {
        this.shell = await import("./panel-shell");
      } catch {
        this.panel = "closed";
        this.announcement = strings.unreachable;
      }
      this.requestUpdate();
    }
    return super.getUpdateComplete();
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has("pageSource")) this.suggested = null;
  }

  protected override updated(changed: PropertyValues): void {
    void this.suggest();
    this.jumps.markAnswer(this.exchange.answer);
    const button = changed.has("found") && this.renderRoot.querySelector<HTMLElement>(".ask-selection");
    if (button && this.found) putBelow(button, this.found.rect);
    if (!this.shell) void this.updateComplete;
    dock(this.isOpen && roomBeside.matches ? this.width : 0);
    const { asked } = this.exchange;
    if (asked === this.shownAsked) return;
    this.shownAsked = asked;
    const last = this.renderRoot.querySelector<HTMLElement>(".last");
    if (asked && last) this.scrollBody(last.offsetTop);
  }

  private scrollBody(top: number): void {
    this.renderRoot.querySelector(".body")?.scrollTo(0, top);
  }

  protected override render(): TemplateResult {
    const isBar = this.panel === "bar";
    const label = this.launcher || (isBar && this.exchange.asked ? strings.back : strings.launcher);
    return html`${this.renderSelectionActs()}
      ${this.isOpen ? this.shell && this.renderPanel(this.shell) : renderLauncher(label, isBar, this.open)}
      <div class="sr" role="status">${this.announcement}</div>`;
  }

  private renderSelectionActs(): TemplateResult | typeof nothing {
    if (!this.found) return nothing;
    const summarise = this.isLong(this.found.text) ? this.summarise : null;
    return renderSelectionActs({ explain: this.explain, summarise, ask: this.openWithSelection });
  }

  /** The selection, with what the answer cites of it told from the rest. */
  private partsOfSelection(): Part[] {
    const { asked, answer, view } = this.exchange;
    const isAsked = asked?.selectedText === this.selectedText;
    if (answer && view && isAsked) return view.splitAtQuotes(this.selectedText, answer.citations);
    return [{ text: this.selectedText, cited: false }];
  }

  private renderPanel({ readSuggestions, renderPanel }: typeof import("./panel-shell")): TemplateResult {
    const { exchange, jumps, modeNote, close, startAnew, retry, askAgain, askWholeBook, submit } = this;
    const { question, mode, selectedText, truncated, minWords, problem, search, typeQuestion, width } = this;
    const chooseMode = (chosen: Mode) => (this.mode = chosen);
    const held = { selectedText, parts: this.partsOfSelection(), truncated, hasSource: this.pageSource !== "" };
    const selection = { ...held, tooShort: this.isTooShort(), minWords };
    const form = { question, mode, ...selection, problem, search, typeQuestion, chooseMode, submit };
    const suggestions = this.suggestions ? readSuggestions(this.suggestions) : (this.suggested ?? []);
    const { prefersChapter, copyCitation, copyCode, sendFeedback } = this;
    const preferChapter = (wanted: boolean) => (this.prefersChapter = wanted);
    const changeWidth = (wanted: number) => (this.width = wanted);
    const texts = { modeNote, suggestions, width, changeWidth };
    const place = { chapter: readChapter(this), prefersChapter, preferChapter };
    const acts = { close, startAnew, retry, askAgain, askWholeBook, copyCitation, copyCode, sendFeedback };
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
