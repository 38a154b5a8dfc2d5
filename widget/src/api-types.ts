/** The API's types under the words the widget uses. `api-schema.ts` is generated: `npm run types`. */

import type { components } from "./api-schema";

type Schemas = components["schemas"];

/** A type with every field that has a default filled in, as responses always are. */
type Filled<T> = { [K in keyof T]-?: Exclude<T[K], undefined> };

export type QueryRequest = Schemas["QueryRequest"];
export type SelectedTextRequest = Schemas["SelectedRequest"];
export type PageRef = Schemas["PageBody"];
export type HighlightRequest = NonNullable<Schemas["QueryRequest"]["highlight"]>;
export type FeedbackRequest = Schemas["FeedbackRequest"];
/** Code points of a claim's text, from one to before another. */
export type Range = readonly [number, number];
export type ListItem = Omit<Filled<Schemas["ListItem"]>, "number"> & { number: number | null };
export type ClaimPart = Omit<Filled<Schemas["ClaimPart"]>, "items" | "header" | "rows"> & {
  items: ListItem[];
  header: Range[];
  rows: Range[][];
};
export type StyledRange = Schemas["StyledRange"];
export type Claim = Omit<Filled<Schemas["Claim"]>, "parts" | "emphasis"> & { parts: ClaimPart[]; emphasis: Range[] };
export type Quote = Filled<Schemas["Quote"]>;
/** What finds a quote in a page. */
export type TextQuote = Pick<Quote, "exact" | "prefix" | "suffix">;
export type Citation = Omit<Schemas["Citation"], "quote" | "quotes"> & {
  quote: Quote;
  quotes: Quote[];
};
export type SectionLink = Schemas["SectionLink"];
export type Refusal = Omit<Filled<Schemas["RefusalBody"]>, "reason"> & { reason: string };
export type Ticket = Schemas["QueueTicket"];
export type AnswerMetadata = Filled<Schemas["Metadata"]>;
export type Mode = Schemas["QueryResponse"]["mode"];
export type QueryResponse = Omit<
  Filled<Schemas["QueryResponse"]>,
  "claims" | "citations" | "refusal" | "metadata"
> & {
  claims: Claim[];
  citations: Citation[];
  refusal: Refusal | null;
  metadata: AnswerMetadata;
};
export type SelectedTextResponse = QueryResponse &
  Pick<
    Schemas["SelectedResponse"],
    "in_selected_text" | "sources" | "truncation_warning" | "verified_source"
  >;
export type SearchResponse = Schemas["SearchResponse"];
export type TicketResponse = Filled<Schemas["TicketResponse"]>;
export type ErrorBody = Schemas["ErrorBody"];
