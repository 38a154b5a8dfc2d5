import { html, type TemplateResult } from "lit";
import { panelStrings } from "./strings";

/** What the reader says was wrong. */
export interface Why {
  reason: string;
  comment: string;
}

/** Asks what was wrong, and writes it into `why`. */
export function renderReason(why: Why, send: () => void): TemplateResult {
  return html`<fieldset>
      <legend class="label">${panelStrings.reasonLabel}</legend>
      ${Object.entries(panelStrings.reasons).map(
        ([reason, label]) => html`<label class="choice wide">
          <input type="radio" name="reason" .checked=${why.reason === reason} @change=${() => (why.reason = reason)} />
          <span>${label}</span>
        </label>`,
      )}
    </fieldset>
    <label class="label" for="comment">${panelStrings.commentLabel}</label>
    <div class="field">
      <textarea
        id="comment"
        rows="2"
        maxlength="2000"
        .value=${why.comment}
        @input=${(event: Event) => (why.comment = (event.target as HTMLTextAreaElement).value)}
      ></textarea>
      <button type="button" @click=${send}>${panelStrings.sendFeedback}</button>
    </div>`;
}
