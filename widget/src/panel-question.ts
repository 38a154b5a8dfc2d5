import { html, nothing, type TemplateResult } from "lit";
import type { Mode } from "./api-types";
import type { Part } from "./cited-parts";
import type { HeldSelection } from "./held-selection";
import { charactersLeft } from "./question";
import type { QuestionForm } from "./question-form";
import { countWords } from "./selection";
import { modeName, pageLanguage, panelStrings, strings } from "./strings";

export interface QuestionView {
  form: QuestionForm;
  selection: HeldSelection;
  /** The selection in parts, those marked that the answer cites. */
  parts: readonly Part[];
  hasSource: boolean;
  minWords: number;
  /** Whether the last question was about the selection. */
  isAsked: boolean;
  /** The choice of the chapter, where one is known. */
  chapter: TemplateResult | typeof nothing;
}

/** The form: what to answer from, the selection, the question. */
export function renderQuestion(view: QuestionView): TemplateResult {
  const { form, selection } = view;
  const { mode, question, search } = form;
  const left = charactersLeft(question);
  const problem = left < 0 ? panelStrings.tooLong(-left) : form.problem;
  const submit = (event: Event) => {
    event.preventDefault();
    form.submit();
  };
  return html`<form part="form" novalidate @submit=${submit}>
    <details class="modes" ?open=${selection.text !== "" && !view.isAsked}>
      <summary class="small">${panelStrings.activeMode(modeName(mode))}</summary>
      ${mode === "book-wide" ? nothing : renderSelection(view)} ${renderModes(view)}
      ${mode === "book-wide" ? view.chapter : nothing}
    </details>
    ${mode !== "book-wide" && selection.truncated ? html`<p class="notice">${panelStrings.selectionTruncated}</p>` : nothing}
    ${form.tooShort ? html`<p class="notice">${panelStrings.selectionTooShort(view.minWords)}</p>` : nothing}
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
        @input=${(event: Event) => form.type((event.target as HTMLInputElement).value)}
        @keydown=${(event: KeyboardEvent) => search?.press(event)}
        @blur=${() => search?.close()}
      />
      <button class="primary" type="submit">${panelStrings.submit}</button>
    </div>
    <p id="count" class="small" ?hidden=${!question || left < 0}>${panelStrings.charactersLeft(left)}</p>
    <p id="problem" class="problem" ?hidden=${!problem}>${problem}</p>
  </form>`;
}

function renderModes({ form, selection, hasSource }: QuestionView): TemplateResult {
  const choice = (mode: Mode, label: string, disabled: boolean) =>
    html`<label class="choice ${disabled ? "off" : ""}">
      <input
        type="radio"
        name="mode"
        value=${mode}
        ?disabled=${disabled}
        .checked=${form.mode === mode}
        @change=${() => form.set({ mode })}
      />
      <span>${label}</span>
    </label>`;
  return html`<fieldset class="row">
    <legend class="sr">${panelStrings.modeLabel}</legend>
    ${choice("selected-text", panelStrings.modeSelection, selection.text === "")}
    ${selection.text && hasSource ? choice("highlight", panelStrings.modeHighlight, false) : nothing}
    ${choice("book-wide", panelStrings.modeBook, false)}
    ${selection.text ? nothing : html`<p class="small">${panelStrings.modeSelectionHint}</p>`}
  </fieldset>`;
}

function renderSelection({ selection, parts }: QuestionView): TemplateResult {
  return html`<figure class="selection" aria-label=${strings.selectionLabel}>
    <blockquote tabindex="0" class="held" lang=${pageLanguage()}>${parts.map(({ text, cited }) => (cited ? html`<mark>${text}</mark>` : text))}</blockquote>
    <figcaption class="small">${strings.selectionLabel}, ${panelStrings.words(countWords(selection.text))}</figcaption>
  </figure>`;
}
