import { html, nothing, type TemplateResult } from "lit";
import type { Citation, Claim, Quote } from "./api-types";
import type { SendFeedback } from "./feedback";
import { renderExcerpt } from "./panel-excerpt";
import { renderRich, renderStyled } from "./panel-rich";
import { renderSections, type SectionsView } from "./panel-sections";
import { allQuotes, type Answer, quotesOf } from "./read-answer";
import { modeName, pageLanguage, panelStrings, strings } from "./strings";

export interface AnswerView extends SectionsView {
  answer: Answer;
  goToCitation(citation: Citation, quotes: Quote[], event: Event): void;
  askWholeBook(): void;
  askAgain(question: string): void;
  copyCitation(citation: Citation, format: "apa" | "bibtex" | "link"): void;
  copyCode(code: string): void;
  sendFeedback: SendFeedback;
}

/** The part a screen reader is told of when it arrives: the sentences or the refusal, and one line on them. */
export function renderAnswerText(view: AnswerView): TemplateResult {
  const { answer } = view;
  return html`<div class="answer" part="answer">
    ${answer.claims.length > 0 && answer.status !== "refused"
      ? answer.claims.map((claim, at) => [renderPlace(at, view), renderClaim(claim, view)])
      : html`<p class="response" dir="auto">${renderRich(answer.response, view.copyCode)}</p>`}
    ${renderNotes(answer)}
  </div>`;
}

/** What there is to say of the answer, on one line, which shows all of it on a press. */
function renderNotes(answer: Answer): TemplateResult | typeof nothing {
  const notes = [...new Set(notesOf(answer))].join(" · ");
  return notes ? html`<details class="notes small"><summary>${notes}</summary></details>` : nothing;
}

function notesOf(answer: Answer): string[] {
  const { metadata, notices, status, mode, truncation_warning } = answer;
  const words = panelStrings;
  return [
    metadata.about && words.about(metadata.about),
    ...notices.map(({ code, text }) => words.notices[code as keyof typeof words.notices] ?? text),
    status === "partial" && words.partial,
    truncation_warning,
    mode !== "book-wide" && modeName(mode),
    answer.verified_source && words.selectionVerified,
    metadata.limited_mode && answer.claims.length > 0 && words.quoteMode,
    isReworded(answer) && words.rewordedMeaning,
  ].filter((note) => typeof note === "string" && note !== "") as string[];
}

/** Whether a model's word is all that every statement has: then one line says so, and no mark on each. */
function isReworded({ claims }: Answer): boolean {
  return claims.length > 0 && claims.every(({ verification }) => verification === "paraphrase");
}

/** What goes with an answer: citations, sections, further questions. */
export function renderAnswerSources(view: AnswerView): TemplateResult {
  const { answer } = view;
  const refusedSelection = answer.status === "refused" && answer.mode !== "book-wide";
  return html`${refusedSelection
      ? html`<button class="primary wide" type="button" @click=${view.askWholeBook}>${panelStrings.askWholeBook}</button>`
      : nothing}
    ${answer.citations.length > 0
      ? html`<h3>${panelStrings.citations}</h3>
          <ol class="citations">
            ${answer.citations.map((citation) => renderCitation(citation, view))}
          </ol>`
      : nothing}
    ${renderSections(panelStrings.closest, answer.refusal?.closest ?? [], view)}
    ${renderSections(panelStrings.related, answer.related, view)}
    ${answer.clarify.length > 0
      ? html`<h3>${panelStrings.clarify}</h3>
          ${answer.clarify.map(
            (question) =>
              html`<button class="suggestion" type="button" @click=${() => view.askAgain(question)}>${question}</button>`,
          )}`
      : nothing}
    ${answer.response_id
      ? html`<quoth-feedback .responseId=${answer.response_id} .send=${view.sendFeedback}></quoth-feedback>`
      : nothing}`;
}

/** Whether the answer is made of excerpts: then they are not shown again below it. */
function isQuoted({ claims }: Answer): boolean {
  return claims.length > 0 && claims.every(({ parts }) => parts.length > 0);
}

function renderClaim(claim: Claim, view: AnswerView): TemplateResult {
  const cited = claim.citations
    .map((n) => view.answer.citations.find((citation) => citation.n === n))
    .filter((citation) => citation !== undefined);
  const marks = html`${cited.map((citation) => renderMark(citation, quotesOf(claim, citation), view))}`;
  const isExcerpt = claim.parts.length > 0;
  return html`<div class="claim ${isExcerpt ? "excerpt" : ""}" lang=${pageLanguage()}>
    ${isExcerpt ? renderExcerpt(claim, marks, view.copyCode) : html`${renderRich(claim.text, view.copyCode)} ${marks}`}
    ${claim.verification === "paraphrase" && !isReworded(view.answer) ? renderReworded() : nothing}
  </div>`;
}

/** The title of an excerpt's section, where it is another than that of the one before. */
function renderPlace(at: number, view: AnswerView): TemplateResult | typeof nothing {
  const { claims, citations } = view.answer;
  const [n] = claims[at]?.citations ?? [];
  const citation = citations.find((each) => each.n === n);
  const title = citation?.subsection || citation?.section || citation?.chapter;
  const isOpen = n === claims[at - 1]?.citations[0];
  if (!isQuoted(view.answer) || isOpen || citation?.kind !== "book" || !title) return nothing;
  const href = citation.url ? view.acceptLink(citation.url) : null;
  const go = (event: Event) => view.goToSection(citation.url ?? "", event);
  return html`<p class="place" lang=${pageLanguage()}>${href ? html`<a href=${href} @click=${go}>${title}</a>` : title}</p>`;
}

/** The mark of a sentence that only a model confirmed; its meaning shows on a press, or under the mouse. */
function renderReworded(): TemplateResult {
  const { reworded, rewordedMeaning } = panelStrings;
  return html`<details class="reworded" lang=${strings.lang}>
    <summary aria-label=${reworded}><span aria-hidden="true" title=${rewordedMeaning}>≈</span></summary>
    <span class="small">${rewordedMeaning}</span>
  </details>`;
}

function renderMark(citation: Citation, quotes: Quote[], view: AnswerView): TemplateResult {
  const name = panelStrings.citationName(citation.n, labelOf(citation));
  return renderJump(citation, quotes, view, html`[${citation.n}]`, "mark", name);
}

/** A place with a link to all of its quotes, and one to each. */
function renderCitation(citation: Citation, view: AnswerView): TemplateResult {
  const quotes = allQuotes(citation).filter(({ exact }) => exact);
  const label = html`<span aria-hidden="true">[${citation.n}]</span> ${labelOf(citation)}`;
  return html`<li value=${citation.n}>
    ${renderJump(citation, quotes, view, label, "jump")} ${renderRelevance(citation, view.answer)}
    <ul class="quotes ${isQuoted(view.answer) ? "brief" : ""}" lang=${pageLanguage()}>
      ${quotes.map((quote) => {
        const shown = renderQuote(quote);
        const read = html`<span class="sr">${quote.exact}</span><span aria-hidden="true">${shown}</span>`;
        const content = quote.exact.includes("$") ? read : shown; // a formula alone is no name
        return html`<li>${renderJump(citation, [quote], view, content, "quote")}</li>`;
      })}
    </ul>
    ${citation.kind === "book" && citation.url && view.acceptLink(citation.url) ? renderCopy(citation, view) : nothing}
  </li>`;
}

/** A quote inside a link: code is not cut into lines of its own there, and has no button. */
function renderQuote({ exact, is_code, styles }: Quote): TemplateResult {
  if (is_code) return html`<code>${exact}</code>`;
  const letters = Array.from(exact); // ranges count code points
  return html`<span>${renderStyled(letters, [0, letters.length], styles)}</span>`;
}

/** How much each of several places of the book has to do with the question, where they differ in it. */
function renderRelevance({ kind, relevance }: Citation, { citations }: Answer): TemplateResult | typeof nothing {
  const percent = (share: number) => Math.round(Math.min(share, 1) * 100);
  const shares = new Set(citations.map((each) => percent(each.relevance)));
  if (kind !== "book" || shares.size < 2 || !(relevance > 0)) return nothing;
  return html`<span class="badge">${panelStrings.relevance(percent(relevance))}</span>`;
}

function renderCopy(citation: Citation, view: AnswerView): TemplateResult {
  const choices = [
    ["apa", panelStrings.copyApa],
    ["bibtex", panelStrings.copyBibtex],
    ["link", panelStrings.copyLink],
  ] as const;
  return html`<details class="copy">
    <summary class="small" aria-label="${panelStrings.copyAs} [${citation.n}]">${panelStrings.copyAs}</summary>
    ${choices.map(
      ([format, label]) =>
        html`<button
          type="button"
          aria-label=${panelStrings.copyName(label, citation.n)}
          @click=${() => view.copyCitation(citation, format)}
        >
          ${label}
        </button>`,
    )}
  </details>`;
}

/** A link where the place has an acceptable address, a button for a place in this page, else text. */
function renderJump(
  citation: Citation,
  quotes: Quote[],
  view: AnswerView,
  content: TemplateResult,
  style: string,
  name?: string,
): TemplateResult {
  const go = (event: Event) => view.goToCitation(citation, quotes, event);
  const href = citation.url ? view.acceptLink(citation.url) : null;
  const label = name ?? nothing;
  const title = name ? quotes.map(({ exact }) => exact).join(" … ") || nothing : nothing;
  if (href) {
    return html`<a class=${style} href=${href} aria-label=${label} title=${title} @click=${go}>${content}</a>`;
  }
  if (citation.kind === "selection" && citation.quote.exact) {
    return html`<button class="${style} plain" type="button" aria-label=${label} title=${title} @click=${go}>
      ${content}
    </button>`;
  }
  return html`<span class=${style}>${content}</span>`;
}

function labelOf(citation: Citation): string {
  return citation.label || (citation.kind === "selection" ? panelStrings.selectionCitation : String(citation.n));
}
