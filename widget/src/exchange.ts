import { adoptStyles, type ReactiveController, type ReactiveControllerHost } from "lit";
import { ApiError, type QuothApi } from "./api";
import type { SectionLink } from "./api-types";
import { askQuestion } from "./ask-question";
import type { Asking } from "./question";
import type { Answer } from "./read-answer";
import { strings } from "./strings";
import { styles } from "./styles";
import type { Kept } from "./wait-for-answer";

export type AnswerParts = typeof import("./answer-view");

/** One question and what has come of it so far. A new question ends the one before. */
export class Exchange implements ReactiveController {
  asked: Asking | null = null;
  answer: Answer | null = null;
  sections: SectionLink[] = [];
  progress = "";
  failure = "";
  /** How an answer is shown; loaded with the first one. */
  view: AnswerParts | null = null;
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

  /** Shows what was asked and answered on the page before. */
  restore(asked: Asking, answer: Answer): void {
    this.asked = asked;
    this.loadView().then(
      () => {
        if (this.asked !== asked || this.running) return;
        this.answer = answer;
        this.host.requestUpdate();
      },
      () => undefined, // the question is still there to be asked again
    );
  }

  private async loadView(): Promise<void> {
    if (this.view) return;
    const view = await import("./answer-view");
    await view.useAnswerLanguage();
    const root = this.host.renderRoot;
    if (!this.view && root instanceof ShadowRoot) adoptStyles(root, [styles, view.answerStyles]);
    this.view = view;
    this.host.requestUpdate(); // a failure may have been shown meanwhile, without its countdown
  }

  /** Goes on with the question that waits since the page before; null when none does. */
  async resume(api: QuothApi): Promise<Asking | null> {
    await this.loadView();
    const kept = this.view?.readKept();
    if (!kept || this.progress) return null;
    void this.start(api, kept.asking, kept);
    return kept.asking;
  }

  async start(api: QuothApi, asking: Asking, kept?: Kept): Promise<void> {
    this.running?.abort();
    if (!kept) this.view?.forgetKept();
    const running = new AbortController();
    this.running = running;
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
      const steps = {
        showSections: (sections: SectionLink[]) => show({ sections }),
        showProgress: (progress: string) => show({ progress }),
      };
      const asked = kept
        ? this.view?.waitForPart(api, asking, kept, steps, running.signal)
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
