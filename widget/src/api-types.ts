/** What the HTTP API takes and gives. Kept to the API contract; one file, so that a generated one can replace it. */

export type Mode = "book-wide" | "highlight" | "selected-text";
export type Status = "answered" | "partial" | "refused" | "queued" | "deferred" | "full";
export type Verification = "verbatim" | "supported";

export interface PageRef {
  source_path?: string;
  permalink?: string;
  version?: string;
  locale?: string;
}

export interface ChapterContext {
  chapter_id: string;
  chapter_title: string;
  confidence: number;
  source: string;
}

export interface Highlight {
  text: string;
  source_path: string;
  version: string;
  locale: string;
  start_block: number;
  end_block: number;
}

export interface QueryRequest {
  question: string;
  session_id: string;
  mode?: Mode;
  user_id?: string;
  page?: PageRef;
  chapter_context?: ChapterContext;
  selected_text?: string;
  highlight?: Highlight;
  ticket?: string;
  fresh?: boolean;
}

export interface SelectedTextRequest {
  question: string;
  selected_text: string;
  session_id: string;
  user_id?: string;
  source?: PageRef;
  ticket?: string;
  fresh?: boolean;
}

export interface Claim {
  text: string;
  citations: number[];
  verification: Verification;
}

export interface Quote {
  exact: string;
  prefix: string;
  suffix: string;
}

export interface Citation {
  n: number;
  kind: "book" | "selection";
  label: string;
  chapter: string | null;
  section: string | null;
  subsection: string | null;
  paragraph_id: string | null;
  url: string | null;
  quote: Quote;
  source_path: string | null;
  lines: [number, number] | null;
  relevance: number;
  updated_at: string | null;
}

export interface SectionLink {
  title: string;
  url: string;
}

export interface Refusal {
  reason: string;
  closest: SectionLink[];
}

export interface Notice {
  code: string;
  text: string;
}

export interface Ticket {
  id: string;
  position: number;
  eta_s: number;
  poll_after_ms: number;
}

export interface AnswerMetadata {
  chapter_filtered: boolean;
  chapter_id: string | null;
  boost_applied: boolean;
  filtered_count: number;
  rewritten_question: string | null;
  content_version: string | null;
  model: string | null;
  prompt_version: string | null;
  confidence: number | null;
  limited_mode: boolean;
  timings_ms: Record<string, number>;
}

export interface QueryResponse {
  query_id: string;
  response_id: string;
  status: Status;
  mode: Mode;
  response: string;
  claims: Claim[];
  citations: Citation[];
  refusal: Refusal | null;
  related: SectionLink[];
  clarify: string[];
  notices: Notice[];
  ticket: Ticket | null;
  metadata: AnswerMetadata;
  session_id: string;
}

export interface SelectedTextResponse extends QueryResponse {
  in_selected_text: boolean;
  sources: { type: "selected_text"; excerpt: string }[];
  truncation_warning: string | null;
  verified_source: unknown;
}

export interface SearchResponse {
  sections: SectionLink[];
}

export interface TicketResponse {
  status: "queued" | "run" | "done" | "expired";
  position?: number;
  eta_s?: number;
  poll_after_ms?: number;
  answer?: QueryResponse;
}

export interface SessionResponse {
  token: string;
}

export interface ErrorBody {
  code: string;
  message: string;
  request_id: string;
}
