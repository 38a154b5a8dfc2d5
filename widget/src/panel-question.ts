import { html, nothing, type TemplateResult } from "lit";
import type { Mode } from "./api-types";
import type { Part } from "./cited-parts";
import { charactersLeft } from "./question";
import type { SectionSearch } from "./search-sections";
import { countWords } from "./selection";
import { modeName, pageLanguage, panelStrings, strings } from "./strings";

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
  /** null before anything was typed. */
  search: SectionSearch | null;
  typeQuestion(text: string): void;
  chooseMode(mode: Mode): void;
  submit(): void;
}

/** The form: what to answer from, the selection, the question. */
export function renderQuestion(view: QuestionView, chapter: unknown): TemplateResult {
  const { question, search } = view;
  const left = charactersLeft(question);
  const problem = left < 0 ? panelStrings.tooLong(-left) : view.problem;
  const submit = (event: Event) => {
    event.preventDefault();
    view.submit();
  };
  return html`<form part="form" novalidate @submit=${submit}>
    ${view.mode !== "book-wide" ? renderSelection(view) : nothing}
    <details class="modes" ?open=${view.selectedText !== ""}>
      <summary class="small">${panelStrings.activeMode(modeName(view.mode))}</summary>
      ${renderModes(view)} ${view.mode === "book-wide" ? chapter : nothing}
    </details>
    ${search?.render()}
    <label class="label" for="question">${panelStrings.questionLabel}</label>
    <div class="field">
      <input
        id="question"
        type="text"
        role="combobox"
        autocomplete="off"
        enterkeyhint="send"
        placeholder=${panelStrings.questionPlaceholder}
        aria-autocomplete="list"
        aria-expanded=${search?.isOpen ? "true" : "false"}
        aria-controls=${search?.isOpen ? "found" : nothing}
        aria-activedescendant=${search?.activeId ?? nothing}
        aria-describedby="count problem"
        aria-invalid=${problem ? "true" : "false"}
        .value=${question}
        @input=${(event: Event) => view.typeQuestion((event.target as HTMLInputElement).value)}
        @keydown=${(event: KeyboardEvent) => search?.press(event)}
        @blur=${() => search?.close()}
      />
      <button class="primary" type="submit">${panelStrings.submit}</button>
    </div>
    <p id="count" class="small" ?hidden=${!question || left < 0}>${panelStrings.charactersLeft(left)}</p>
    <p id="problem" class="problem" ?hidden=${!problem}>${problem}</p>
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
  return html`<fieldset class="row">
    <legend class="sr">${panelStrings.modeLabel}</legend>
    ${choice("selected-text", panelStrings.modeSelection, view.selectedText === "")}
    ${view.selectedText && view.hasSource ? choice("highlight", panelStrings.modeHighlight, false) : nothing}
    ${choice("book-wide", panelStrings.modeBook, false)}
    ${view.selectedText ? nothing : html`<p class="small">${panelStrings.modeSelectionHint}</p>`}
  </fieldset>`;
}

function renderSelection(view: QuestionView): TemplateResult {
  return html`<figure class="selection" aria-label=${strings.selectionLabel}>
    <blockquote tabindex="0" class="held" lang=${pageLanguage()}>${view.parts.map(({ text, cited }) => (cited ? html`<mark>${text}</mark>` : text))}</blockquote>
    <figcaption class="small">${strings.selectionLabel}, ${panelStrings.words(countWords(view.selectedText))}</figcaption>
    ${view.truncated ? html`<p class="notice">${panelStrings.selectionTruncated}</p>` : nothing}
    ${view.tooShort ? html`<p class="notice">${panelStrings.selectionTooShort(view.minWords)}</p>` : nothing}
  </figure>`;
}
