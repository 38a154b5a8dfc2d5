import { html, nothing, type TemplateResult } from "lit";
import { strings } from "./strings";

/** The button that opens the panel; `isBar`: that brings it back. */
export function renderLauncher(label: string, isBar: boolean, open: () => void): TemplateResult {
  return html`<button class="launcher ${isBar ? "bar" : ""}" part="launcher" type="button" aria-haspopup="dialog" aria-keyshortcuts="Alt+Q" @click=${open}>
    ${label}
  </button>`;
}

/** What can be done with a selection. */
export interface SelectionActs {
  explain(): void;
  /** null where there is too little to summarise. */
  summarise: (() => void) | null;
  ask(): void;
}

/** The buttons beside a selection. Pressing one must not take the selection away. */
export function renderSelectionActs({ explain, summarise, ask }: SelectionActs): TemplateResult {
  const keep = (event: Event) => event.preventDefault();
  const button = (label: string, act: () => void, keys: string | typeof nothing = nothing) =>
    html`<button type="button" aria-keyshortcuts=${keys} @mousedown=${keep} @click=${act}>${label}</button>`;
  return html`<div class="ask-selection" part="ask-selection" role="group" aria-label=${strings.selectionLabel}>
    ${button(strings.explain, explain)} ${summarise ? button(strings.summarise, summarise) : nothing}
    ${button(strings.selectionButton, ask, "Alt+Q")}
  </div>`;
}

/** Whether a key goes into a field of the page. */
export function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input,textarea,select"));
}
