import { html, nothing, type TemplateResult } from "lit";
import { answerStrings } from "./answer-strings";
import type { Citation, Claim, Quote } from "./api-types";
import type { SendFeedback } from "./feedback";
import { renderExcerpt } from "./panel-excerpt";
import { renderRich } from "./panel-rich";
import { renderSections, type SectionsView } from "./panel-sections";
import { type Answer, quotesOf } from "./read-answer";
import { modeName, pageLanguage, strings } from "./strings";

export interface AnswerView extends SectionsView {
  answer: Answer;
  goToCitation(citation: Citation, quotes: Quote[], event: Event): void;
  askWholeBook(): void;
  askAgain(question: string): void;
  copyCitation(citation: Citation, format: "apa" | "bibtex" | "link"): void;
  copyCode(code: string): void;
  sendFeedback: SendFeedback;
}

/** The part a screen reader is told of when it arrives: notices, the sentences, the refusal. */
export function renderAnswerText(view: AnswerView): TemplateResult {
  const { answer } = view;
  return html`<div class="answer" part="answer">
    <p class="small">${strings.modeLabel}: ${modeName(answer.mode)}</p>
    ${answer.metadata.about ? html`<p class="small about">${answerStrings().about(answer.metadata.about)}</p>` : nothing}
    ${answer.metadata.limited_mode ? html`<p class="small">${answerStrings().quoteMode}</p>` : nothing}
    ${answer.notices.map((notice) => html`<p class="notice">${notice.text}</p>`)}
    ${answer.truncation_warning ? html`<p class="notice">${answer.truncation_warning}</p>` : nothing}
    ${answer.status === "partial" ? html`<p class="notice">${answerStrings().partial}</p>` : nothing}
    ${answer.claims.length > 0 && answer.status !== "refused"
      ? answer.claims.map((claim, at) => [renderPlace(at, view), renderClaim(claim, view)])
      : html`<p class="response" dir="auto">${renderRich(answer.response)}</p>`}
  </div>`;
}

/** What goes with an answer: citations, sections, further questions. */
export function renderAnswerSources(view: AnswerView): TemplateResult {
  const { answer } = view;
  const refusedSelection = answer.status === "refused" && answer.mode !== "book-wide";
  return html`${refusedSelection
      ? html`<button class="primary wide" type="button" @click=${view.askWholeBook}>${strings.askWholeBook}</button>`
      : nothing}
    ${answer.verified_source ? html`<p class="small">${answerStrings().selectionVerified}</p>` : nothing}
    ${answer.citations.length > 0
      ? html`<h3>${answerStrings().citations}</h3>
          <ol class="citations">
            ${answer.citations.map((citation) => renderCitation(citation, view))}
          </ol>`
      : nothing}
    ${renderSections(answerStrings().closest, answer.refusal?.closest ?? [], view)}
    ${renderSections(answerStrings().related, answer.related, view)}
    ${answer.clarify.length > 0
      ? html`<h3>${answerStrings().clarify}</h3>
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
    ${isExcerpt ? renderExcerpt(claim, marks, view.copyCode) : html`${renderRich(claim.text)} ${marks}`}
    ${claim.verification === "paraphrase" ? renderReworded() : nothing}
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
  const { reworded, rewordedMeaning } = answerStrings();
  return html`<details class="reworded" lang=${strings.lang}>
    <summary aria-label=${reworded}><span aria-hidden="true" title=${rewordedMeaning}>≈</span></summary>
    <span class="small">${rewordedMeaning}</span>
  </details>`;
}

function renderMark(citation: Citation, quotes: Quote[], view: AnswerView): TemplateResult {
  const name = answerStrings().citationName(citation.n, labelOf(citation));
  return renderJump(citation, quotes, view, html`[${citation.n}]`, "mark", name);
}

function renderCitation(citation: Citation, view: AnswerView): TemplateResult {
  return html`<li value=${citation.n}>
    ${renderJump(citation, [citation.quote], view, html`<span aria-hidden="true">[${citation.n}]</span> ${labelOf(citation)}`, "jump")}
    ${renderRelevance(citation, view.answer)}
    ${citation.quote.exact && !isQuoted(view.answer) ? html`<blockquote lang=${pageLanguage()}>${renderRich(citation.quote.exact)}</blockquote>` : nothing}
    ${citation.kind === "book" && citation.url && view.acceptLink(citation.url) ? renderCopy(citation, view) : nothing}
  </li>`;
}

/** How much each of several places of the book has to do with the question. */
function renderRelevance({ kind, relevance }: Citation, { citations }: Answer): TemplateResult | typeof nothing {
  if (kind !== "book" || citations.length < 2 || !(relevance > 0)) return nothing;
  return html`<span class="badge">${answerStrings().relevance(Math.round(Math.min(relevance, 1) * 100))}</span>`;
}

function renderCopy(citation: Citation, view: AnswerView): TemplateResult {
  const choices = [
    ["apa", answerStrings().copyApa],
    ["bibtex", answerStrings().copyBibtex],
    ["link", answerStrings().copyLink],
  ] as const;
  return html`<div class="row copy">
    <span class="small" aria-hidden="true">${answerStrings().copyAs}</span>
    ${choices.map(
      ([format, label]) =>
        html`<button
          type="button"
          aria-label=${answerStrings().copyName(label, citation.n)}
          @click=${() => view.copyCitation(citation, format)}
        >
          ${label}
        </button>`,
    )}
  </div>`;
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
  return citation.label || (citation.kind === "selection" ? answerStrings().selectionCitation : String(citation.n));
}
