import type { ReactiveControllerHost } from "lit";
import type { QuothApi } from "./api";
import type { Mode } from "./api-types";
import { composeAsking, type PageFacts, readChapter } from "./compose-question";
import type { Exchange } from "./exchange";
import type { HeldSelection } from "./held-selection";
import { type Asking, charactersLeft } from "./question";
import type { SectionSearch } from "./search-sections";
import { isTouched } from "./selection";
import { panelStrings, strings } from "./strings";

interface Host extends ReactiveControllerHost, PageFacts {
  readonly minWords: number;
  readonly renderRoot: ParentNode;
  connectApi(): QuothApi;
  announce(sentence: string): Promise<unknown>;
  focusQuestion(): Promise<void>;
  open(): void;
}

/** What is typed, what it is to be answered from, and asking it. */
export class QuestionForm {
  question = "";
  mode: Mode = "book-wide";
  problem = "";
  prefersChapter = true;
  /** Loaded with the panel. */
  search: SectionSearch | null = null;

  constructor(
    private readonly host: Host,
    private readonly exchange: Exchange,
    private readonly selection: HeldSelection,
  ) {}

  set(change: Partial<Pick<QuestionForm, "question" | "mode" | "problem" | "prefersChapter" | "search">>): void {
    Object.assign(this, change);
    this.host.requestUpdate();
  }

  get tooShort(): boolean {
    return this.mode === "selected-text" && this.selection.tooShort;
  }

  type = (text: string): void => {
    const wasTooLong = charactersLeft(this.question) < 0;
    this.set({ question: text, problem: "" });
    const left = charactersLeft(text);
    if (left < 0 && !wasTooLong) void this.host.announce(panelStrings.tooLong(-left));
    this.search?.type(text, this.host.connectApi());
  };

  submit = (): void => {
    const { host, mode, selection } = this;
    const question = this.question.trim();
    const left = charactersLeft(question);
    this.set({ problem: question ? "" : panelStrings.emptyQuestion });
    const refused =
      this.problem ||
      (left < 0 && panelStrings.tooLong(-left)) ||
      (this.tooShort && panelStrings.selectionTooShort(host.minWords));
    if (refused) return void host.announce(refused);
    this.search?.close();
    // The keyboard on the screen would hide the answer.
    if (isTouched()) host.renderRoot.querySelector<HTMLElement>("[type=submit]")?.focus();
    this.exchange.view?.clearHighlight();
    const chapter = this.prefersChapter ? readChapter(host) : null;
    const held = { selectedText: selection.text, prefix: selection.prefix };
    const asking = composeAsking(question, mode, held, host, chapter);
    this.set({ question: "" });
    void this.start(asking);
  };

  /** Asks; a question that gets no answer goes back into the field. */
  async start(asking: Asking): Promise<void> {
    const { exchange } = this;
    await exchange.start(this.host.connectApi(), asking);
    if (exchange.asked === asking && exchange.failure) this.set({ question: this.question || asking.question });
  }

  retry = (): void => {
    const { asked } = this.exchange;
    if (!asked) return;
    if (this.question === asked.question) this.set({ question: "" });
    void this.start(asked);
  };

  /** Asks a question that is not in the field; what is there stays. */
  askAgain = (question: string): void => {
    const typed = this.question;
    this.question = question;
    this.submit();
    this.set({ question: this.question || typed });
  };

  /** Without a question, the one in the field. */
  askWholeBook = (question = ""): void => {
    this.set({ mode: "book-wide" });
    if (question) this.askAgain(question);
    else if (this.question.trim()) this.submit();
    else void this.host.focusQuestion();
  };

  askAboutSelection = (): void => {
    this.set({ mode: "selected-text", problem: "" });
    this.host.open();
  };

  /** Explains a passage from itself; what is too short for that, from the book. */
  explain = (): void => {
    const text = this.selection.found?.text ?? "";
    this.askAboutSelection();
    if (this.selection.isLong(text)) return this.askAgain(strings.explainThis);
    this.set({ mode: "book-wide" });
    this.askAgain(strings.explainWords(text.replace(/\s+/g, " ")));
  };

  summarise = (): void => {
    this.askAboutSelection();
    this.askAgain(strings.summariseThis);
  };
}
