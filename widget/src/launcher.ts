import { html, type TemplateResult } from "lit";
import { strings } from "./strings";

/** The button that opens the panel. */
export function renderLauncher(label: string, open: () => void): TemplateResult {
  return html`<button class="launcher" part="launcher" type="button" aria-haspopup="dialog" @click=${open}>
    ${label}
  </button>`;
}

/** The button beside a selection. Pressing it must not take the selection away. */
export function renderSelectionButton(open: () => void): TemplateResult {
  return html`<button
    class="ask-selection"
    part="ask-selection"
    type="button"
    aria-keyshortcuts="Alt+Q"
    @mousedown=${(event: Event) => event.preventDefault()}
    @click=${open}
  >
    ${strings.selectionButton}
  </button>`;
}

/** Whether a key goes into a field of the page. */
export function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input,textarea,select"));
}
