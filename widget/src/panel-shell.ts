import { html, nothing, type TemplateResult } from "lit";
import type { Exchange } from "./exchange";
import type { Jumps } from "./jumps";
import type { Citation } from "./api-types";
import type { ChapterContext } from "./chapter";
import type { SendFeedback } from "./feedback";
import { type QuestionView, renderQuestion } from "./panel-question";
import { renderSections } from "./panel-sections";
import { modeName, strings } from "./strings";

export interface PanelView {
  exchange: Exchange;
  jumps: Jumps;
  form: QuestionView;
  modeNote: string;
  suggestions: readonly string[];
  chapter: ChapterContext | null;
  prefersChapter: boolean;
  preferChapter(wanted: boolean): void;
  copyCitation(citation: Citation, format: "apa" | "bibtex" | "link"): void;
  copyCode(code: string): void;
  sendFeedback: SendFeedback;
  close(): void;
  retry(): void;
  askAgain(question: string): void;
  askWholeBook(): void;
}

/** The dialog around everything. Its live regions are there before anything is asked. */
export function renderPanel(view: PanelView): TemplateResult {
  const { exchange, jumps, form } = view;
  const { asked, answer, progress, failure, view: parts } = exchange;
  const answerView = answer && { ...view, ...jumps.links, answer, askedQuestion: asked?.question ?? "" };
  return html`<section class="panel ${asked ? "tall" : ""}" part="panel" role="dialog" aria-labelledby="title">
    <div class="top">
      <h2 id="title">${strings.title}</h2>
      <p class="active-mode">${strings.activeMode(modeName(form.mode))}</p>
      <button type="button" aria-label=${strings.close} @click=${view.close}>
        <span aria-hidden="true">×</span>
      </button>
    </div>
    <div class="body">
      ${view.modeNote ? html`<p class="small mode-note">${view.modeNote}</p>` : nothing} ${renderQuestion(form)}
      ${form.mode === "book-wide" ? renderChapter(view) : nothing}
      ${form.tooShort ? renderWholeBook(view) : nothing}
      <div role="alert">${failure ? renderFailure(failure, view) : nothing}</div>
      <div role="status" aria-atomic="false">
        ${progress ? html`<p class="progress"><span>${parts?.renderCounted(progress, "turn") ?? progress}</span></p>` : nothing}
        ${answerView ? parts?.renderAnswerText(answerView) : nothing}
      </div>
      ${renderSections(strings.sectionsWhileWaiting, exchange.sections, jumps.links)}
      ${answerView ? html`<div class="sources">${parts?.renderAnswerSources(answerView)}</div>` : nothing}
      ${asked || form.mode !== "book-wide" ? nothing : renderSuggestions(view)}
    </div>
  </section>`;
}

function renderChapter({ chapter, prefersChapter, preferChapter }: PanelView): TemplateResult | typeof nothing {
  if (!chapter) return nothing;
  const { chapter_title } = chapter;
  return html`<div class="chapter">
    ${chapter_title ? html`<span class="badge">${strings.chapter(chapter_title)}</span>` : nothing}
    <label class="choice">
      <input
        type="checkbox"
        role="switch"
        .checked=${prefersChapter}
        @change=${(event: Event) => preferChapter((event.target as HTMLInputElement).checked)}
      />
      <span>${strings.preferChapter}</span>
    </label>
  </div>`;
}

function renderFailure(failure: string, view: PanelView): TemplateResult {
  return html`<div class="error">
    <span>${view.exchange.view?.renderCounted(failure, "retry") ?? failure}</span>
    <button type="button" @click=${view.retry}>${strings.retry}</button>
  </div>`;
}

function renderWholeBook(view: PanelView): TemplateResult {
  return html`<button class="wide" type="button" @click=${view.askWholeBook}>${strings.askWholeBook}</button>`;
}

function renderSuggestions(view: PanelView): TemplateResult | typeof nothing {
  if (view.suggestions.length === 0) return nothing;
  return html`<h3>${strings.suggestions}</h3>
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
