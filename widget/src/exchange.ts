import type { ReactiveController, ReactiveControllerHost } from "lit";
import { ApiError, type QuothApi } from "./api";
import type { SectionLink } from "./api-types";
import { type Asking, askQuestion } from "./asking";
import type { Answer } from "./read-answer";
import { strings } from "./strings";

/** One question and what has come of it so far. A new question ends the one before. */
export class Exchange implements ReactiveController {
  asked: Asking | null = null;
  answer: Answer | null = null;
  sections: SectionLink[] = [];
  progress = "";
  failure = "";
  private running: AbortController | null = null;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly tellAnswer: (question: string, answer: Answer) => void,
  ) {
    host.addController(this);
  }

  hostDisconnected(): void {
    this.running?.abort();
    this.progress = "";
  }

  async start(api: QuothApi, asking: Asking): Promise<void> {
    this.running?.abort();
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
      const answer = await askQuestion(api, asking, steps, running.signal);
      if (!running.signal.aborted) this.finish(asking, answer);
    } catch (error) {
      if (running.signal.aborted) return;
      this.failure = error instanceof ApiError ? error.message : strings.unavailable;
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
