import { html, nothing, type TemplateResult } from "lit";
import type { Citation } from "./api-types";
import type { ChapterContext } from "./chapter";
import type { Turn } from "./conversation";
import type { Exchange } from "./exchange";
import type { SendFeedback } from "./feedback";
import type { Jumps } from "./jumps";
import { renderEdge } from "./panel-edge";
import { type QuestionView, renderQuestion } from "./panel-question";
import { renderSections } from "./panel-sections";
import { panelStrings } from "./strings";

export { SectionSearch } from "./search-sections";

export interface PanelView {
  exchange: Exchange;
  jumps: Jumps;
  form: QuestionView;
  modeNote: string;
  suggestions: readonly string[];
  chapter: ChapterContext | null;
  prefersChapter: boolean;
  width: number;
  preferChapter(wanted: boolean): void;
  changeWidth(width: number): void;
  copyCitation(citation: Citation, format: "apa" | "bibtex" | "link"): void;
  copyCode(code: string): void;
  sendFeedback: SendFeedback;
  close(): void;
  startAnew(): void;
  retry(): void;
  askAgain(question: string): void;
  askWholeBook(question?: string): void;
}

/** The dialog around everything: the conversation, below it the question. */
export function renderPanel(view: PanelView): TemplateResult {
  const { exchange, form } = view;
  const { asked } = exchange;
  return html`<section class="panel ${asked ? "tall" : ""}" part="panel" role="dialog" aria-labelledby="title">
    ${renderEdge(view.width, view.changeWidth)}
    <div class="top">
      <h2 id="title">${panelStrings.title}</h2>
      ${asked ? html`<button type="button" class="anew" @click=${view.startAnew}>${panelStrings.newConversation}</button>` : nothing}
      <button type="button" aria-label=${panelStrings.close} @click=${view.close}>
        <span aria-hidden="true">×</span>
      </button>
    </div>
    <div class="body" role="group" tabindex="0" aria-label=${panelStrings.conversation}>
      ${view.modeNote ? html`<p class="small mode-note">${view.modeNote}</p>` : nothing}
      ${exchange.earlier.map((turn) => renderEarlier(turn, view))}
      ${renderLast(view)}
      ${asked || form.mode !== "book-wide" ? nothing : renderSuggestions(view)}
    </div>
    ${renderQuestion(form, renderChapter(view))}
    ${form.tooShort ? renderWholeBook(view) : nothing}
  </section>`;
}

/** What an answer is shown with. */
function answerView({ asked, answer }: Turn, view: PanelView) {
  return { ...view, ...view.jumps.links, answer, askWholeBook: () => view.askWholeBook(asked.question) };
}

function renderEarlier(turn: Turn, view: PanelView): TemplateResult {
  const { view: parts } = view.exchange;
  const shown = answerView(turn, view);
  return html`<div class="turn">
    ${renderAsked(turn.asked.question)} ${parts?.renderAnswerText(shown)}
    <div class="sources">${parts?.renderAnswerSources(shown)}</div>
  </div>`;
}

/** The last question, and what has come of it. Its live regions are there before anything is asked. */
function renderLast(view: PanelView): TemplateResult {
  const { asked, answer, sections, progress, failure, countdown, view: parts } = view.exchange;
  const shown = asked && answer && answerView({ asked, answer }, view);
  return html`<div class="turn last">
    ${asked ? renderAsked(asked.question) : nothing}
    <div role="alert">${failure ? renderFailure(failure, view) : nothing}</div>
    <div role="status" aria-atomic="false">
      ${progress ? html`<p class="progress"><span>${countdown?.renderCounted(progress, "turn") ?? progress}</span></p>` : nothing}
      ${shown ? parts?.renderAnswerText(shown) : nothing}
    </div>
    ${renderSections(panelStrings.sectionsWhileWaiting, sections, view.jumps.links)}
    ${shown ? html`<div class="sources">${parts?.renderAnswerSources(shown)}</div>` : nothing}
  </div>`;
}

const renderAsked = (question: string) => html`<h3 class="asked" dir="auto">${question}</h3>`;

function renderChapter({ chapter, prefersChapter, preferChapter }: PanelView): TemplateResult | typeof nothing {
  if (!chapter) return nothing;
  const { chapter_title } = chapter;
  return html`<div class="chapter">
    ${chapter_title ? html`<span class="badge">${panelStrings.chapter(chapter_title)}</span>` : nothing}
    <label class="choice">
      <input
        type="checkbox"
        role="switch"
        .checked=${prefersChapter}
        @change=${(event: Event) => preferChapter((event.target as HTMLInputElement).checked)}
      />
      <span>${panelStrings.preferChapter}</span>
    </label>
  </div>`;
}

function renderFailure(failure: string, view: PanelView): TemplateResult {
  return html`<div class="error">
    <span>${view.exchange.countdown?.renderCounted(failure, "retry") ?? failure}</span>
    <button type="button" @click=${view.retry}>${panelStrings.retry}</button>
  </div>`;
}

function renderWholeBook(view: PanelView): TemplateResult {
  return html`<button class="wide" type="button" @click=${() => view.askWholeBook()}>${panelStrings.askWholeBook}</button>`;
}

function renderSuggestions(view: PanelView): TemplateResult | typeof nothing {
  if (view.suggestions.length === 0) return nothing;
  return html`<h3>${panelStrings.suggestions}</h3>
    ${view.suggestions.map(
      (question) =>
        html`<button class="suggestion" type="button" @click=${() => view.askAgain(question)}>${question}</button>`,
    )}`;
}

/** The questions in the `suggestions` attribute; anything else than a JSON list of texts is none. */
export function readSuggestions(attribute: string): string[] {
  try {
    const list: unknown = JSON.parse(attribute);
    return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
  } catch {
    return [];
  }
}
