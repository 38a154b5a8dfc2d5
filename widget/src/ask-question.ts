import { ApiError, type QuothApi } from "./api";
import type { Asking, AskingSteps } from "./question";
import type { Answer } from "./read-answer";
import { panelStrings, strings } from "./strings";

/** In ms: how long an asking may last in the queue. */
const LONGEST_ASKING = 15 * 60_000;

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
  const selected = asking.mode !== "book-wide";
  steps.showProgress(selected ? panelStrings.readingSelection : panelStrings.searching);
  let isWaiting = true;
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
        if (!isWaiting || sections.length === 0) return;
        steps.showSections(sections);
        if (!queued) steps.showProgress(panelStrings.writing); // a place in the queue is not hidden
      },
      () => undefined, // the answer does not depend on it, and reports its own errors
    );
  }
  try {
    return await askUntilAnswered(api, asking, inQueue, signal);
  } finally {
    isWaiting = false;
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
    const { id, poll_after_ms } = answer.ticket;
    const { waitForTurn, waitForPart } = await import("./wait-for-answer");
    if (answer.status === "deferred") {
      const deferred = { ticket: id, sentence: answer.response, firstWait: poll_after_ms };
      return waitForPart(api, asking, deferred, steps, signal);
    }
    const turn = await waitForTurn(api, answer, steps, signal, deadline);
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
  if (asking.mode === "highlight") {
    const { highlight } = asking;
    return api.query({ question, session_id, mode: "highlight", highlight, page, ...again }, signal);
  }
  const chapter = asking.chapter ? { chapter_context: { ...asking.chapter } } : {};
  return api.query({ question, session_id, mode: "book-wide", page, ...chapter, ...again }, signal);
}
