import { ApiError, type QuothApi, type TicketState } from "./api";
import type { Asking, AskingSteps } from "./question";
import { type Answer, fields } from "./read-answer";
import { DEFERRED } from "./session";
import { panelStrings, strings } from "./strings";

/** In ms: how often a ticket may be looked at. */
const SOONEST_POLL = 250;
const LATEST_POLL = 30_000;
const MOST_LOST_POLLS = 5;
/** In ms: a ticket for later is no longer good then. */
const KEPT_FOR = 24 * 3600_000;

type Turn = { run: boolean; answer: Answer | null };

/** Polls a place in the queue: `run` tells to send the question again with its ticket. */
export async function waitForTurn(
  api: QuothApi,
  queued: Answer,
  steps: AskingSteps,
  signal: AbortSignal,
  deadline: number,
): Promise<Turn> {
  const { id, position, eta_s, poll_after_ms } = queued.ticket ?? { id: "", position: 0, eta_s: 0, poll_after_ms: 0 };
  steps.showProgress(queued.response || panelStrings.queued(position, Math.ceil(eta_s)));
  const tellPlace = ({ position, eta_s }: TicketState) => {
    if (position) steps.showProgress(panelStrings.queued(position, Math.ceil(eta_s ?? 0)));
  };
  const state = await poll(api, id, poll_after_ms, tellPlace, signal, deadline, MOST_LOST_POLLS);
  return { run: state.status === "run", answer: state.answer };
}

/**
 * Waits until the book can answer again, as long as the ticket holds. What was asked is kept in
 * the tab, so that it goes on waiting in the next page.
 */
export async function waitForPart(
  api: QuothApi,
  asking: Asking,
  deferred: { ticket: string; until?: number; sentence?: string; firstWait?: number },
  steps: AskingSteps,
  signal: AbortSignal,
): Promise<Answer> {
  const { ticket, until = Date.now() + KEPT_FOR, sentence, firstWait = 0 } = deferred;
  store({ asking, ticket, until });
  steps.showProgress(`${sentence || strings.unavailable} ${panelStrings.kept}`);
  try {
    const state = await poll(api, ticket, firstWait, () => undefined, signal, until, Infinity);
    if (state.answer) return state.answer;
    throw new ApiError(strings.unavailable, 200);
  } finally {
    // Taken out of the page and put in again, the widget goes on waiting.
    if (!signal.aborted) store(null);
  }
}

/** Polls until the ticket is no longer queued. Raises ApiError, or the signal's reason. */
async function poll(
  api: QuothApi,
  id: string,
  firstWait: number,
  tell: (state: TicketState) => void,
  signal: AbortSignal,
  deadline: number,
  mostLost: number,
): Promise<TicketState> {
  let wait = firstWait;
  let lost = 0;
  while (Date.now() < deadline) {
    await sleep(Math.min(Math.max(wait, SOONEST_POLL), LATEST_POLL), signal);
    try {
      const state = await api.readTicket(id, signal);
      lost = 0;
      if (state.status === "done" && !state.answer) throw new ApiError(strings.unavailable, 200);
      if (state.status !== "queued") return state;
      wait = state.poll_after_ms || wait;
      tell(state);
    } catch (error) {
      const passes = error instanceof ApiError && (error.status === 0 || error.status >= 500 || error.status === 429);
      if (!passes || ++lost >= mostLost) throw error;
      wait = Math.max(wait * (mostLost === Infinity ? 2 : 1), error.retryAfterMs);
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

export interface Kept {
  asking: Asking;
  ticket: string;
  until: number;
}

function store(kept: Kept | null): void {
  try {
    if (kept) sessionStorage.setItem(DEFERRED, JSON.stringify(kept));
    else sessionStorage.removeItem(DEFERRED);
  } catch {
    // Storage may be switched off; the question waits as long as the page.
  }
}

/** The question that waits since a page before; null when none does. */
export function readKept(): Kept | null {
  try {
    const kept = fields(JSON.parse(sessionStorage.getItem(DEFERRED) ?? "null"));
    const { question, mode } = fields(kept.asking);
    const isKept = [kept.ticket, question, mode].every((text) => typeof text === "string");
    return isKept && Number(kept.until) > Date.now() ? (kept as unknown as Kept) : null;
  } catch {
    return null;
  }
}
