import { html, nothing, type TemplateResult } from "lit";
import type { Mode } from "./api-types";
import type { Part } from "./cited-parts";
import { countWords } from "./selection";
import { pageLanguage, strings } from "./strings";

const LONGEST_QUESTION = 1000;
const COUNT_FROM = 900;

export interface QuestionView {
  question: string;
  mode: Mode;
  /** What the reader selected, already cut; "" without a selection. */
  selectedText: string;
  /** Whether the page's place in the book is known, so that the passage's surroundings are. */
  hasSource: boolean;
  /** The same in parts, those marked that the answer cites. */
  parts: readonly Part[];
  truncated: boolean;
  tooShort: boolean;
  minWords: number;
  problem: string;
  typeQuestion(text: string): void;
  chooseMode(mode: Mode): void;
  submit(): void;
}

/** The form: what to answer from, the selection, the question. */
export function renderQuestion(view: QuestionView): TemplateResult {
  const left = LONGEST_QUESTION - view.question.length;
  const submit = (event: Event) => {
    event.preventDefault();
    view.submit();
  };
  // Enter asks, as in a search field; a line break needs Shift.
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  };
  return html`<form part="form" novalidate @submit=${submit}>
    ${renderModes(view)} ${view.mode !== "book-wide" ? renderSelection(view) : nothing}
    <label class="label" for="question">${strings.questionLabel}</label>
    <div class="field">
      <textarea
        id="question"
        rows="2"
        maxlength=${LONGEST_QUESTION}
        placeholder=${strings.questionPlaceholder}
        aria-describedby="count problem"
        aria-invalid=${view.problem ? "true" : "false"}
        .value=${view.question}
        @input=${(event: Event) => view.typeQuestion((event.target as HTMLTextAreaElement).value)}
        @keydown=${press}
      ></textarea>
      <button class="primary" type="submit">${strings.submit}</button>
    </div>
    <p id="count" class="small" ?hidden=${view.question.length < COUNT_FROM}>${strings.charactersLeft(left)}</p>
    <p id="problem" class="problem" ?hidden=${!view.problem}>${view.problem}</p>
  </form>`;
}

function renderModes(view: QuestionView): TemplateResult {
  const choice = (mode: Mode, label: string, disabled: boolean) =>
    html`<label class="choice ${disabled ? "off" : ""}">
      <input
        type="radio"
        name="mode"
        value=${mode}
        ?disabled=${disabled}
        .checked=${view.mode === mode}
        @change=${() => view.chooseMode(mode)}
      />
      <span>${label}</span>
    </label>`;
  return html`<fieldset class="modes">
    <legend class="label">${strings.modeLabel}</legend>
    ${choice("selected-text", strings.modeSelection, view.selectedText === "")}
    ${view.selectedText && view.hasSource ? choice("highlight", strings.modeHighlight, false) : nothing}
    ${choice("book-wide", strings.modeBook, false)}
    ${view.selectedText ? nothing : html`<p class="small">${strings.modeSelectionHint}</p>`}
  </fieldset>`;
}

function renderSelection(view: QuestionView): TemplateResult {
  return html`<figure class="selection" aria-label=${strings.selectionLabel}>
    <blockquote tabindex="0" class="held" lang=${pageLanguage()}>${view.parts.map(({ text, cited }) => (cited ? html`<mark>${text}</mark>` : text))}</blockquote>
    <figcaption class="small">${strings.selectionLabel}, ${strings.words(countWords(view.selectedText))}</figcaption>
    ${view.truncated ? html`<p class="notice">${strings.selectionTruncated}</p>` : nothing}
    ${view.tooShort ? html`<p class="notice">${strings.selectionTooShort(view.minWords)}</p>` : nothing}
  </figure>`;
}
