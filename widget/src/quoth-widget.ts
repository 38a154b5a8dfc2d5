import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { QuothApi } from "./api";
import { readChapter } from "./compose-question";
import { type PanelState, readConversation, storeConversation } from "./conversation";
import { dock, isSheet, USUAL_WIDTH } from "./dock";
import { Exchange } from "./exchange";
import { HeldSelection } from "./held-selection";
import { Jumps } from "./jumps";
import { isTyping, renderLauncher, renderSelectionActs } from "./launcher";
import { properties } from "./properties";
import type { Asking } from "./question";
import { QuestionForm } from "./question-form";
import { placeWidget } from "./script-tag";
import { endSession, forgetKept, hasKept, readSessionId } from "./session";
import { loadPanelStrings, strings, useLanguage } from "./strings";
import { adoptPageRules, styles } from "./styles";
import { Suggestions } from "./suggestions";

/**
 * `<quoth-widget endpoint="https://…">`: asks the book and leads to what it cites.
 *
 * Attributes: `endpoint` (the API's address, "" for the page's own origin), `page-source` (the
 * page's file in the book), `page-version` and `page-locale` (where the book has several),
 * `chapter-id` and `chapter-title` (else read from the page), `book-title`, `language` (the page's
 * own, else English), `mode-note` (a line shown in the panel), `suggestions` (a JSON list of
 * questions, instead of those the book answers from the page), `min-words` (the shortest selection, 20),
 * `user-id` and `user-hash` (who the site says is reading, and its signature).
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
  declare userId: string;
  declare userHash: string;
  declare language: string;
  declare modeNote: string;
  declare suggestions: string;
  declare minWords: number;
  private declare panel: PanelState;
  private declare announcement: string;
  /** What the reader wants, and what the page has room for; 0 where the panel floats. */
  private declare width: number;
  private declare docked: number;

  /** The panel itself; loaded when it is opened first. */
  private shell: typeof import("./panel-shell") | null = null;
  /** What the launcher says instead of its name. */
  private launcher = "";
  private shownAsked: Asking | null = null;
  private api: QuothApi | null = null;
  private opener: Element | null = null;
  private readonly selection = new HeldSelection(this, () => this.announce(strings.selectionHint));
  private readonly exchange = new Exchange(this, (question, answer) => {
    const detail = { question, answer };
    this.dispatchEvent(new CustomEvent("quoth-answer", { detail, bubbles: true, composed: true }));
    if (!this.isOpen) this.launcher = this.announcement = strings.answerReady;
    this.keep();
  });
  private readonly form = new QuestionForm(this, this.exchange, this.selection);
  private readonly suggested = new Suggestions(this);
  private readonly jumps = new Jumps(this, (sentence, rightEdge) => {
    void this.announce(sentence);
    // The panel must not hide the place it has just led to.
    const panel = this.renderRoot.querySelector(".panel")?.getBoundingClientRect();
    if (panel && panel.left < rightEdge && panel.right > 0) this.panel = "bar";
  }, () => isSheet() && this.isOpen && (this.panel = "bar"));

  constructor() {
    super();
    this.endpoint = this.pageSource = this.modeNote = this.suggestions = "";
    this.pageVersion = this.pageLocale = this.chapterId = this.chapterTitle = "";
    this.bookTitle = this.language = this.userId = this.userHash = "";
    this.announcement = "";
    this.minWords = 20;
    this.panel = "closed";
    this.width = USUAL_WIDTH;
    this.docked = 0;
  }

  get isOpen(): boolean {
    return this.panel === "open";
  }

  override connectedCallback(): void {
    super.connectedCallback();
    adoptPageRules();
    document.addEventListener("keydown", this.pressKey);
    window.addEventListener("pagehide", this.keep);
    window.addEventListener("pageshow", this.resumeShown);
    window.addEventListener("resize", this.redraw);
    this.resumeConversation();
    this.jumps.resume();
    if (hasKept()) void this.resumeWaiting();
    const language = this.language || document.documentElement.lang;
    void useLanguage(language).then(() => {
      this.lang = strings.lang; // English, where there are no others: a page in another language is told
      this.redraw();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.jumps.stop();
    document.removeEventListener("keydown", this.pressKey);
    window.removeEventListener("pagehide", this.keep);
    window.removeEventListener("pageshow", this.resumeShown);
    window.removeEventListener("resize", this.redraw);
    dock(0);
  }

  /** Opens the panel and moves the focus into its question. */
  open = (): void => {
    if (!this.isOpen) this.opener = document.activeElement;
    this.panel = "open";
    this.launcher = "";
    this.selection.take();
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
    this.form.set({ question });
    void this.updateComplete.then(this.form.submit);
  }

  /** Takes the widget out of the page, with the highlight it may have left there. */
  destroy(): void {
    this.exchange.view?.clearHighlight();
    this.remove();
  }

  announce = (sentence: string): Promise<unknown> => {
    // The same words would be no change to a screen reader.
    this.announcement = sentence === this.announcement ? `${sentence}\u00a0` : sentence;
    return this.updateComplete;
  };

  private redraw = (): void => this.requestUpdate();

  /** Stores everything that the next page of the tab goes on with. */
  private keep = (): void => {
    const { panel, width, selection } = this;
    const { mode, question } = this.form;
    const { turns, waiting } = this.exchange;
    const scroll = this.renderRoot.querySelector(".body")?.scrollTop ?? 0;
    storeConversation({ turns, waiting, panel, mode, question, selectedText: selection.text, width, scroll });
  };

  private resumeConversation(): void {
    const kept = readConversation();
    if (!kept) return;
    const { panel, mode, question } = kept;
    Object.assign(this, { panel, width: kept.width || USUAL_WIDTH });
    this.form.set({ mode, question });
    this.selection.text = kept.selectedText;
    this.shownAsked = kept.turns.at(-1)?.asked ?? null;
    const restored = this.exchange.restore(kept.turns).then(() => this.updateComplete);
    void restored.then(() => this.scrollBody(kept.scroll), () => undefined); // as it was before any answer
    if (kept.waiting && !hasKept()) void this.form.start(kept.waiting);
  }

  /** A page that the browser had kept whole may have missed a part of the conversation. */
  private resumeShown = (event: PageTransitionEvent): void => {
    if (event.persisted) this.resumeConversation();
  };

  private async resumeWaiting(): Promise<void> {
    const asked = await this.exchange.resume(this.connectApi());
    if (!asked) return;
    this.form.set({ mode: asked.mode });
    this.selection.text = asked.selectedText;
  }

  private startAnew = (): void => {
    endSession();
    forgetKept();
    this.api = null;
    this.form.set({ question: "", problem: "", mode: "book-wide" });
    this.selection.text = "";
    this.exchange.view?.clearHighlight();
    void this.exchange.restore([]);
    this.keep();
    void this.focusQuestion();
  };

  async focusQuestion(): Promise<void> {
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

  connectApi(): QuothApi {
    if (this.api?.endpoint === this.endpoint) return this.api;
    return (this.api = new QuothApi(this.endpoint, readSessionId(), this.userId, this.userHash));
  }

  private pressKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return;
    if (event.key === "Escape") this.close();
    // By code: with Alt, some keyboards type another character here.
    if (event.altKey && event.code === "KeyQ" && !isTyping(event)) {
      event.preventDefault();
      if (this.selection.found) this.form.askAboutSelection();
      else if (this.isOpen && this.jumps.link?.isConnected) this.jumps.link.focus();
      else this.open();
    }
  };

  /** An update of an open panel is complete when the panel is there. */
  protected override async getUpdateComplete(): Promise<boolean> {
    if (this.isOpen && !this.shell) {
      try {
        const [shell] = await Promise.all([import("./panel-shell"), loadPanelStrings()]);
        this.form.search ??= new shell.SectionSearch(this, this.announce, (url, event) => {
          this.form.set({ question: "" });
          this.jumps.links.goToSection(url, event);
        });
        this.shell = shell;
      } catch {
        this.panel = "closed";
        this.announcement = strings.unreachable;
      }
      this.requestUpdate();
    }
    return super.getUpdateComplete();
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has("pageSource")) this.suggested.forget();
  }

  protected override updated(): void {
    const isNew = this.isOpen && !this.exchange.asked && this.form.mode === "book-wide";
    if (isNew) void this.suggested.load();
    this.jumps.markAnswer(this.exchange.answer);
    if (!this.shell) void this.updateComplete;
    this.docked = dock(this.isOpen ? this.width : 0);
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
    const { form, selection } = this;
    if (!selection.found) return nothing;
    const summarise = selection.isLong(selection.found.text) ? form.summarise : null;
    return renderSelectionActs({ explain: form.explain, summarise, ask: form.askAboutSelection });
  }

  private renderPanel({ renderPanel }: typeof import("./panel-shell")): TemplateResult {
    const { exchange, jumps, form, selection, modeNote, minWords, docked, close, startAnew } = this;
    return renderPanel({
      ...{ exchange, jumps, form, selection, modeNote, minWords, docked, close, startAnew },
      bookTitle: this.bookTitle,
      hasSource: this.pageSource !== "",
      chapter: readChapter(this),
      suggestions: this.suggested.list,
      changeWidth: (wanted) => {
        if (dock(wanted) === wanted) this.width = wanted;
        this.requestUpdate(); // where there is no room, it stays as wide as it was
      },
      announce: this.announce,
      sendFeedback: (request) => this.connectApi().sendFeedback(request),
    });
  }
}

if (!customElements.get("quoth-widget")) customElements.define("quoth-widget", QuothWidget);

placeWidget();

declare global {
  interface HTMLElementTagNameMap {
    "quoth-widget": QuothWidget;
  }
}
