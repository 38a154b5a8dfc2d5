import { html, nothing, type TemplateResult } from "lit";
import type { ChapterContext } from "./chapter";
import type { Part } from "./cited-parts";
import type { Turn } from "./conversation";
import type { Exchange } from "./exchange";
import type { SendFeedback } from "./feedback";
import type { HeldSelection } from "./held-selection";
import type { Jumps } from "./jumps";
import { copyActs } from "./panel-copy";
import { renderEdge } from "./panel-edge";
import { renderQuestion } from "./panel-question";
import { renderSections } from "./panel-sections";
import type { QuestionForm } from "./question-form";
import { panelStrings } from "./strings";

export { SectionSearch } from "./search-sections";

export interface PanelView {
  exchange: Exchange;
  jumps: Jumps;
  form: QuestionForm;
  selection: HeldSelection;
  /** Whether the page's place in the book is known, so that a passage's surroundings are. */
  hasSource: boolean;
  minWords: number;
  bookTitle: string;
  modeNote: string;
  suggestions: readonly string[];
  chapter: ChapterContext | null;
  /** The panel's width beside the text; 0 where it floats. */
  docked: number;
  changeWidth(width: number): void;
  announce(sentence: string): Promise<unknown>;
  sendFeedback: SendFeedback;
  close(): void;
  startAnew(): void;
}

/** The dialog around everything: the conversation, below it the question. */
export function renderPanel(view: PanelView): TemplateResult {
  const { exchange, form } = view;
  const { asked } = exchange;
  return html`<section class="panel ${asked ? "tall" : ""} ${view.docked ? "beside" : ""}" part="panel" role="dialog" aria-labelledby="title">
    ${view.docked ? renderEdge(view.docked, view.changeWidth) : nothing}
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
    ${renderQuestion({ ...view, ...selectionView(view), chapter: renderChapter(view) })}
    ${form.tooShort ? renderWholeBook(view) : nothing}
  </section>`;
}

/** Whether the last question was about the selection; what its answer cites told from the rest. */
function selectionView({ exchange, selection: { text } }: PanelView): { isAsked: boolean; parts: Part[] } {
  const { asked, answer, view } = exchange;
  const isAsked = asked?.selectedText === text;
  const isCited = isAsked && answer && view;
  return { isAsked, parts: isCited ? view.splitAtQuotes(text, answer.citations) : [{ text, cited: false }] };
}

/** What an answer is shown with. */
function answerView({ asked, answer }: Turn, view: PanelView) {
  const { form, jumps, sendFeedback } = view;
  const acts = { askAgain: form.askAgain, askWholeBook: () => form.askWholeBook(asked.question), sendFeedback };
  return { ...acts, ...copyActs(view.bookTitle, view.announce), ...jumps.links, answer };
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

function renderChapter({ chapter, form }: PanelView): TemplateResult | typeof nothing {
  if (!chapter) return nothing;
  const { chapter_title } = chapter;
  return html`<div class="chapter">
    ${chapter_title ? html`<span class="badge">${panelStrings.chapter(chapter_title)}</span>` : nothing}
    <label class="choice">
      <input
        type="checkbox"
        role="switch"
        .checked=${form.prefersChapter}
        @change=${(event: Event) => form.set({ prefersChapter: (event.target as HTMLInputElement).checked })}
      />
      <span>${panelStrings.preferChapter}</span>
    </label>
  </div>`;
}

function renderFailure(failure: string, view: PanelView): TemplateResult {
  return html`<div class="error">
    <span>${view.exchange.countdown?.renderCounted(failure, "retry") ?? failure}</span>
    <button type="button" @click=${view.form.retry}>${panelStrings.retry}</button>
  </div>`;
}

function renderWholeBook(view: PanelView): TemplateResult {
  return html`<button class="wide" type="button" @click=${() => view.form.askWholeBook()}>${panelStrings.askWholeBook}</button>`;
}

function renderSuggestions(view: PanelView): TemplateResult | typeof nothing {
  if (view.suggestions.length === 0) return nothing;
  return html`<h3>${panelStrings.suggestions}</h3>
    ${view.suggestions.map(
      (question) =>
        html`<button class="suggestion" type="button" @click=${() => view.form.askAgain(question)}>${question}</button>`,
    )}`;
}
