import { adoptStyles, type ReactiveController, type ReactiveControllerHost } from "lit";
import { ApiError, type QuothApi } from "./api";
import type { SectionLink } from "./api-types";
import { askQuestion } from "./ask-question";
import type { Turn } from "./conversation";
import type { Asking } from "./question";
import type { Answer } from "./read-answer";
import { forgetKept } from "./session";
import { loadPanelStrings, strings } from "./strings";
import { styles } from "./styles";
import type { Kept } from "./wait-for-answer";

export type AnswerParts = typeof import("./answer-view");

/** The questions so far; of the last one, what has come of it. A new question ends one that waits. */
export class Exchange implements ReactiveController {
  /** What was asked and answered before. */
  earlier: Turn[] = [];
  asked: Asking | null = null;
  answer: Answer | null = null;
  sections: SectionLink[] = [];
  progress = "";
  failure = "";
  /** How an answer is shown; loaded with the first one. */
  view: AnswerParts | null = null;
  /** How a sentence counts its seconds down; loaded with the first that has some. */
  countdown: typeof import("./countdown") | null = null;
  private running: AbortController | null = null;

  constructor(
    private readonly host: ReactiveControllerHost & { renderRoot: HTMLElement | DocumentFragment },
    private readonly tellAnswer: (question: string, answer: Answer) => void,
  ) {
    host.addController(this);
  }

  hostDisconnected(): void {
    this.running?.abort();
    this.progress = "";
  }

  hostUpdated(): void {
    const counts = !this.countdown && /\d (second|Sekunde)/.test(this.progress + this.failure);
    if (counts) this.loadCountdown().catch(() => undefined); // without it, the sentence stays as it is
  }

  /** Every question that has an answer. */
  get turns(): Turn[] {
    const { earlier, asked, answer } = this;
    return asked && answer ? [...earlier, { asked, answer }] : earlier;
  }

  /** What waits for its answer. */
  get waiting(): Asking | null {
    return this.progress ? this.asked : null;
  }

  /** Shows what was asked and answered on the page before; none begins a new conversation. */
  async restore(turns: Turn[]): Promise<void> {
    this.running?.abort();
    const last = turns.at(-1);
    this.earlier = turns.slice(0, -1);
    this.asked = last?.asked ?? null;
    this.answer = last?.answer ?? null;
    this.sections = [];
    this.progress = this.failure = "";
    this.host.requestUpdate();
    if (last) await this.loadView();
  }

  private async loadView(): Promise<void> {
    if (this.view) return;
    const [view] = await Promise.all([import("./answer-view"), loadPanelStrings()]);
    const root = this.host.renderRoot;
    if (!this.view && root instanceof ShadowRoot) adoptStyles(root, [styles, view.answerStyles]);
    this.view = view;
    this.host.requestUpdate();
  }

  private async loadCountdown(): Promise<void> {
    this.countdown = await import("./countdown");
    this.host.requestUpdate();
  }

  /** Goes on with the question that waits since the page before; null when none does. */
  async resume(api: QuothApi): Promise<Asking | null> {
    await this.loadView();
    const kept = (await import("./wait-for-answer")).readKept();
    if (!kept || this.progress) return null;
    void this.start(api, kept.asking, kept);
    return kept.asking;
  }

  async start(api: QuothApi, asking: Asking, kept?: Kept): Promise<void> {
    this.running?.abort();
    if (!kept) forgetKept();
    const running = new AbortController();
    this.running = running;
    this.earlier = this.turns;
    this.asked = asking;
    this.answer = null;
    this.sections = [];
    this.failure = "";
    const show = (change: { sections?: SectionLink[]; progress?: string }) => {
      if (running.signal.aborted) return;
      Object.assign(this, change);
      this.host.requestUpdate();
    };
    try {
      await loadPanelStrings();
      const steps = {
        showSections: (sections: SectionLink[]) => show({ sections }),
        showProgress: (progress: string) => show({ progress }),
      };
      const asked = kept
        ? (await import("./wait-for-answer")).waitForPart(api, asking, kept, steps, running.signal)
        : askQuestion(api, asking, steps, running.signal);
      const [answer] = await Promise.all([asked, this.loadView()]);
      if (answer && !running.signal.aborted) this.finish(asking, answer);
    } catch (error) {
      if (running.signal.aborted) return;
      this.failure = error instanceof ApiError ? error.message : strings.unreachable;
    } finally {
      show({ progress: "" });
    }
  }

  private finish(asking: Asking, answer: Answer): void {
    this.sections = [];
    if (answer.status === "full" || answer.status === "queued" || answer.status === "deferred") {
      this.failure = answer.response || strings.unavailable; // no answer, and no ticket to wait with
    } else {
      this.answer = answer;
      this.tellAnswer(asking.question, answer);
    }
  }
}
