import type {
  AnswerMetadata,
  Citation,
  Claim,
  ClaimPart,
  QueryResponse,
  Quote,
  Range,
  Refusal,
  SectionLink,
  SelectedTextResponse,
  StyledRange,
  Ticket,
} from "./api-types";

/** An answer of either route, with every field the panel shows of its declared type. */
export type Answer = QueryResponse & Partial<SelectedTextResponse>;

type Fields = Record<string, unknown>;

const STATUSES = ["answered", "partial", "refused", "queued", "deferred", "full"];
/** Any other value, of an older or newer server, counts as the weakest proof: a paraphrase. */
const PROOFS = ["verbatim", "close"] as const;
const FORMS = ["prose", "list", "table", "code"] as const;
const STYLES: readonly unknown[] = ["code", "strong", "emphasis"];

/** Reads a response body. Wrong or missing fields become empty ones; null if it is no answer at all. */
export function readAnswer(body: unknown): Answer | null {
  const raw = fields(body);
  if (typeof raw.status !== "string" || !STATUSES.includes(raw.status)) return null;
  return {
    ...raw,
    response: text(raw.response),
    response_id: text(raw.response_id),
    mode: text(raw.mode),
    claims: list(raw.claims).map(readClaim),
    citations: list(raw.citations).map(readCitation),
    refusal: raw.refusal ? readRefusal(raw.refusal) : null,
    related: readSections(raw.related),
    clarify: readTexts(raw.clarify),
    notices: list(raw.notices)
      .map(fields)
      .map((notice) => ({ code: text(notice.code), text: text(notice.text) })),
    ticket: raw.ticket ? readTicket(raw.ticket) : null,
    metadata: {
      ...fields(raw.metadata),
      about: text(fields(raw.metadata).about) || null,
      limited_mode: fields(raw.metadata).limited_mode === true,
    } as AnswerMetadata,
    truncation_warning: text(raw.truncation_warning) || null,
  } as Answer;
}

export function readSections(value: unknown): SectionLink[] {
  return list(value)
    .map(fields)
    .map((section) => ({ title: text(section.title), url: text(section.url), text: text(section.text) }))
    .filter((section) => section.title !== "");
}

export function readTexts(value: unknown): string[] {
  return list(value).map(text).filter(Boolean);
}

/** The server's own sentence in an error body, or "" when there is none. */
export function readMessage(body: unknown): string {
  return text(fields(body).message);
}

export function readToken(body: unknown): string {
  return text(fields(body).token);
}

export function readTicket(value: unknown): Ticket {
  const raw = fields(value);
  return {
    id: text(raw.id),
    position: number(raw.position),
    eta_s: number(raw.eta_s),
    poll_after_ms: number(raw.poll_after_ms),
  };
}

function readClaim(value: unknown): Claim {
  const raw = fields(value);
  return {
    text: text(raw.text),
    citations: list(raw.citations).filter((n): n is number => typeof n === "number"),
    verification: PROOFS.find((proof) => proof === raw.verification) ?? "paraphrase",
    quotes: list(raw.quotes)
      .map(fields)
      .map((cited) => ({ n: number(cited.n), quote: number(cited.quote) })),
    parts: list(raw.parts).map(readPart),
    emphasis: readRanges(raw.emphasis),
    styles: readStyles(raw.styles),
  };
}

/** A form that is not known is shown as prose. */
function readPart(value: unknown): ClaimPart {
  const raw = fields(value);
  return {
    ...readPlace(raw),
    form: FORMS.find((form) => form === raw.form) ?? "prose",
    language: text(raw.language),
    items: list(raw.items)
      .map(fields)
      .map((item) => ({
        ...readPlace(item),
        level: number(item.level),
        number: typeof item.number === "number" ? item.number : null,
      })),
    header: readRanges(raw.header),
    rows: list(raw.rows).map(readRanges),
    of: number(raw.of),
  };
}

function readPlace(raw: Fields): { start: number; end: number } {
  return { start: number(raw.start), end: number(raw.end) };
}

function readRanges(value: unknown): Range[] {
  return list(value)
    .map(list)
    .map(([start, end]) => [number(start), number(end)] as const);
}

function readStyles(value: unknown): StyledRange[] {
  return list(value)
    .map(fields)
    .filter(({ style }) => STYLES.includes(style))
    .map((raw) => ({ ...readPlace(raw), style: raw.style as StyledRange["style"] }));
}

/** Every quote of a citation; of an older server, which does not say, the first. */
export function allQuotes({ quote, quotes }: Citation): Quote[] {
  return quotes.length > 0 ? quotes : [quote];
}

/** What a claim rests on in a citation; of an older server, which does not say, the first quote. */
export function quotesOf(claim: Claim, citation: Citation): Quote[] {
  const own = claim.quotes
    .filter(({ n }) => n === citation.n)
    .map(({ quote }) => citation.quotes[quote])
    .filter((quote) => quote !== undefined);
  return own.length > 0 ? own : [citation.quote];
}

function readCitation(value: unknown): Citation {
  const raw = fields(value);
  return {
    ...raw,
    n: number(raw.n),
    kind: raw.kind === "selection" ? "selection" : "book",
    label: text(raw.label),
    url: text(raw.url) || null,
    chapter: text(raw.chapter),
    section: text(raw.section),
    subsection: text(raw.subsection),
    updated_at: text(raw.updated_at),
    relevance: number(raw.relevance),
    quote: readQuote(raw.quote),
    quotes: list(raw.quotes).map(readQuote),
  } as Citation;
}

function readQuote(value: unknown): Quote {
  const raw = fields(value);
  return {
    exact: text(raw.exact),
    prefix: text(raw.prefix),
    suffix: text(raw.suffix),
    is_code: raw.is_code === true,
    styles: readStyles(raw.styles),
  };
}

function readRefusal(value: unknown): Refusal {
  const raw = fields(value);
  return { reason: text(raw.reason), closest: readSections(raw.closest) };
}

export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
