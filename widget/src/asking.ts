import { ApiError, type QuothApi } from "./api";
import type { Mode, PageRef, SectionLink } from "./api-types";
import type { Answer } from "./read-answer";
import { strings } from "./strings";

/** What the reader asks, complete enough to be asked again. */
export interface Asking {
  question: string;
  mode: Mode;
  selectedText: string;
  sessionId: string;
  page: PageRef;
}

/** What the panel is told while the answer is on its way. */
export interface AskingSteps {
  showSections(sections: SectionLink[]): void;
  showProgress(sentence: string): void;
}

/** In ms: how often a ticket may be looked at, and how long an asking may last in all. */
const SOONEST_POLL = 250;
const LATEST_POLL = 30_000;
const LONGEST_ASKING = 15 * 60_000;
const MOST_LOST_POLLS = 5;

/**
 * Asks until there is an answer: sections first, then the answer, waiting in the queue if there
 * is one. Raises ApiError, or the signal's reason when the reader has moved on.
 */
export async function askQuestion(
  api: QuothApi,
  asking: Asking,
  steps: AskingSteps,
  signal: AbortSignal,
): Promise<Answer> {
  const selected = asking.mode === "selected-text";
  steps.showProgress(selected ? strings.readingSelection : strings.searching);
  let waiting = true;
  let queued = false;
  const inQueue: AskingSteps = {
    ...steps,
    showProgress: (sentence) => {
      queued = true;
      steps.showProgress(sentence);
    },
  };
  if (!selected) {
    const search = api.searchSections(asking.question, signal);
    search.then(
      (sections) => {
        if (!waiting || sections.length === 0) return;
        steps.showSections(sections);
        if (!queued) steps.showProgress(strings.writing); // a place in the queue is not hidden
      },
      () => undefined, // the answer does not depend on it, and reports its own errors
    );
  }
  try {
    return await askUntilAnswered(api, asking, inQueue, signal);
  } finally {
    waiting = false;
  }
}

async function askUntilAnswered(
  api: QuothApi,
  asking: Asking,
  steps: AskingSteps,
  signal: AbortSignal,
): Promise<Answer> {
  const deadline = Date.now() + LONGEST_ASKING;
  let ticket: string | undefined;
  while (Date.now() < deadline) {
    const answer = await sendQuestion(api, asking, ticket, signal);
    const waits = answer.status === "queued" || answer.status === "deferred";
    if (!waits || !answer.ticket?.id) return answer;
    const { id, position, eta_s, poll_after_ms } = answer.ticket;
    steps.showProgress(answer.response || strings.queued(position, eta_s));
    const turn = await waitForTurn(api, id, poll_after_ms, steps, signal, deadline);
    if (turn.answer) return turn.answer;
    ticket = turn.run ? id : undefined;
  }
  throw new ApiError(strings.expectedWait, 0);
}

function sendQuestion(
  api: QuothApi,
  asking: Asking,
  ticket: string | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const { question, sessionId: session_id, page } = asking;
  const again = ticket ? { ticket } : {};
  if (asking.mode === "selected-text") {
    const request = { question, selected_text: asking.selectedText, session_id, source: page };
    return api.querySelectedText({ ...request, ...again }, signal);
  }
  return api.query({ question, session_id, mode: "book-wide", page, ...again }, signal);
}

/** Polls the ticket: `run` tells to send the question again with it, an answer ends the wait. */
async function waitForTurn(
  api: QuothApi,
  id: string,
  firstWait: number,
  steps: AskingSteps,
  signal: AbortSignal,
  deadline: number,
): Promise<{ run: boolean; answer: Answer | null }> {
  let wait = firstWait;
  let lost = 0;
  while (Date.now() < deadline) {
    await sleep(Math.min(Math.max(wait, SOONEST_POLL), LATEST_POLL), signal);
    try {
      const state = await api.readTicket(id, signal);
      lost = 0;
      if (state.status === "run") return { run: true, answer: null };
      if (state.status === "expired") return { run: false, answer: null };
      if (state.status === "done" && state.answer) return { run: false, answer: state.answer };
      if (state.status === "done") throw new ApiError(strings.unavailable, 200);
      wait = state.poll_after_ms || wait;
      if (state.position) steps.showProgress(strings.queued(state.position, state.eta_s ?? 0));
    } catch (error) {
      const passes = error instanceof ApiError && (error.status === 0 || error.status >= 500 || error.status === 429);
      if (!passes || ++lost >= MOST_LOST_POLLS) throw error;
      wait = Math.max(wait, error.retryAfterMs);
    }
  }
  throw new ApiError(strings.expectedWait, 0);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
}
