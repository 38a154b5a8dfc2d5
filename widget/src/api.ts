import type { FeedbackRequest, PageRef, QueryRequest, SectionLink, SelectedTextRequest, TicketResponse } from "./api-types";
import { type Answer, fields, readAnswer, readMessage, readSections, readTexts, readTicket, readToken } from "./read-answer";
import { strings } from "./strings";

/** An answer may take long; a call that takes longer is lost. In ms. */
const TIME_OUT = 45_000;
const SEARCH_TIME_OUT = 10_000;

/** A call that brought no answer. `message` is for the reader; `status` is 0 when nothing came back. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

type Reply = { status: number; ok: boolean; body: unknown; retryAfterMs: number };
/** A ticket's state, with its answer read. */
export type TicketState = Omit<TicketResponse, "answer" | "sentence"> & { answer: Answer | null };

/** The HTTP calls of the widget. No cookie goes with them. */
export class QuothApi {
  private token: Promise<string> | null = null;

  constructor(
    readonly endpoint: string,
    private readonly sessionId: string,
    private readonly userId = "",
    private readonly userHash = "",
  ) {}

  /** Fetches the session's token ahead of the first question. */
  prepare(): void {
    this.token ??= this.startSession();
  }

  async searchSections(question: string, signal: AbortSignal): Promise<SectionLink[]> {
    const path = `/search?q=${encodeURIComponent(question)}`;
    const reply = await this.call("GET", path, undefined, signal, SEARCH_TIME_OUT);
    return readSections(fields(accept(reply)).sections);
  }

  /** Questions that the book answers from a page; none where it has none, or cannot tell. */
  async suggestQuestions(page: PageRef): Promise<string[]> {
    const path = `/suggestions?${new URLSearchParams({ ...page } as Record<string, string>)}`;
    const reply = await this.call("GET", path, undefined, new AbortController().signal, SEARCH_TIME_OUT);
    return reply.ok ? readTexts(fields(reply.body).questions) : [];
  }

  query(request: QueryRequest, signal: AbortSignal): Promise<Answer> {
    return this.askRoute("/query", request, signal);
  }

  querySelectedText(request: SelectedTextRequest, signal: AbortSignal): Promise<Answer> {
    return this.askRoute("/query-selected-text", request, signal);
  }

  async sendFeedback(request: Omit<FeedbackRequest, "session_id">): Promise<void> {
    const signal = new AbortController().signal;
    const body = { ...request, session_id: this.sessionId };
    accept(await this.call("POST", "/feedback", body, signal, SEARCH_TIME_OUT));
  }

  async readTicket(id: string, signal: AbortSignal): Promise<TicketState> {
    const reply = await this.call("GET", `/tickets/${encodeURIComponent(id)}`, undefined, signal);
    const raw = fields(accept(reply));
    const { position, eta_s, poll_after_ms } = readTicket(raw);
    const known = ["queued", "run", "done", "expired"] as const;
    const status = known.find((name) => name === raw.status);
    if (!status) throw new ApiError(strings.unavailable, reply.status);
    return { status, position, eta_s, poll_after_ms, answer: readAnswer(raw.answer) };
  }

  private async askRoute(path: string, request: object, signal: AbortSignal): Promise<Answer> {
    const reply = await this.call("POST", path, request, signal);
    const answer = readAnswer(accept(reply));
    if (!answer) throw new ApiError(strings.unavailable, reply.status);
    return answer;
  }

  private async call(
    method: string,
    path: string,
    body: object | undefined,
    signal: AbortSignal,
    timeOut = TIME_OUT,
  ): Promise<Reply> {
    const used = (this.token ??= this.startSession());
    const reply = await this.send(method, path, body, await used, signal, timeOut);
    if (reply.status !== 401) return reply;
    if (this.token === used) this.token = null; // tokens are short-lived: one fresh one, then give up
    this.token ??= this.startSession();
    return this.send(method, path, body, await this.token, signal, timeOut);
  }

  /** A book without sessions answers 404 here, and the widget goes on without a token. */
  private async startSession(): Promise<string> {
    try {
      const body = {
        session_id: this.sessionId,
        ...(this.userId && { user_id: this.userId, user_hash: this.userHash }),
      };
      const reply = await this.send("POST", "/session", body, "", new AbortController().signal, SEARCH_TIME_OUT);
      return reply.ok ? readToken(reply.body) : "";
    } catch {
      this.token = null; // the network may be back for the next call
      return "";
    }
  }

  private async send(
    method: string,
    path: string,
    body: object | undefined,
    token: string,
    signal: AbortSignal,
    timeOut: number,
  ): Promise<Reply> {
    const stop = new AbortController();
    const abort = () => stop.abort();
    signal.addEventListener("abort", abort);
    const timer = setTimeout(abort, timeOut);
    try {
      signal.throwIfAborted();
      const response = await fetch(this.endpoint.replace(/\/+$/, "") + path, {
        method,
        credentials: "omit",
        headers: {
          ...(body && { "Content-Type": "application/json" }),
          ...(token && { Authorization: `Bearer ${token}` }),
        },
        body: body ? JSON.stringify(body) : null,
        signal: stop.signal,
      });
      const retryAfterMs = Number(response.headers.get("Retry-After")) * 1000 || 0;
      const raw = await response.text();
      return { status: response.status, ok: response.ok, body: parseJson(raw), retryAfterMs };
    } catch (error) {
      if (signal.aborted) throw error;
      if (!stop.signal.aborted) void import("./explain-refusal").then((told) => told.explainRefusal(this.endpoint), () => undefined);
      throw new ApiError(stop.signal.aborted ? strings.expectedWait : strings.unreachable, 0);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }
}

/** The body of a good reply; any other becomes an ApiError with the server's own sentence. */
function accept(reply: Reply): unknown {
  if (reply.ok && reply.body !== undefined) return reply.body;
  const message = readMessage(reply.body) || strings.unavailable;
  throw new ApiError(message, reply.status, reply.retryAfterMs);
}

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
