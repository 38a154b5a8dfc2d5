import { html, LitElement, nothing, type TemplateResult } from "lit";
import { answerStrings } from "./answer-strings";
import { ApiError } from "./api";
import type { FeedbackRequest } from "./api-types";
import { strings } from "./strings";
import { answerStyles } from "./answer-styles";
import { styles } from "./styles";

export type SendFeedback = (request: Omit<FeedbackRequest, "session_id">) => Promise<void>;

/** Asks whether one answer helped; after a no, what was wrong. */
export class QuothFeedback extends LitElement {
  static override styles = [styles, answerStyles];
  static override properties = {
    responseId: { attribute: false },
    send: { attribute: false },
    stage: { state: true },
    failure: { state: true },
  };
  declare responseId: string;
  declare send: SendFeedback;
  private declare stage: "asking" | "reason" | "sending" | "sent";
  private declare failure: string;
  private reason = "";
  private comment = "";

  constructor() {
    super();
    this.responseId = this.failure = "";
    this.stage = "asking";
  }

  private async rate(rating: "helpful" | "not_helpful"): Promise<void> {
    const before = this.stage;
    this.stage = "sending";
    this.failure = "";
    const { responseId: response_id, reason, comment } = this;
    const why = rating === "not_helpful" ? { reason: reason || null, comment: comment.trim() || null } : {};
    try {
      await this.send({ response_id, rating, ...why });
      this.stage = "sent";
    } catch (error) {
      this.stage = before;
      this.failure = error instanceof ApiError ? error.message : strings.unavailable;
    }
  }

  private askReason = (): void => {
    this.stage = "reason";
    void this.updateComplete.then(() => this.renderRoot.querySelector("input")?.focus());
  };

  protected override render(): TemplateResult {
    const { stage } = this;
    return html`<div class="feedback">
      ${stage === "asking" || stage === "sending" ? this.renderQuestion() : nothing}
      ${stage === "reason" ? this.renderReason() : nothing}
      <p role="status" class="small">${stage === "sent" ? answerStrings().thanks : nothing}</p>
      <p role="alert" class="problem">${this.failure}</p>
    </div>`;
  }

  private renderQuestion(): TemplateResult {
    const busy = this.stage === "sending";
    return html`<div class="row" role="group" aria-label=${answerStrings().feedback}>
      <span class="small">${answerStrings().feedback}</span>
      <button type="button" ?disabled=${busy} @click=${() => this.rate("helpful")}>${answerStrings().helpful}</button>
      <button type="button" ?disabled=${busy} @click=${this.askReason}>${answerStrings().notHelpful}</button>
    </div>`;
  }

  private renderReason(): TemplateResult {
    const choose = (reason: string) => (this.reason = reason);
    return html`<fieldset>
        <legend class="label">${answerStrings().reasonLabel}</legend>
        ${Object.entries(answerStrings().reasons).map(
          ([reason, label]) => html`<label class="choice wide">
            <input type="radio" name="reason" .checked=${this.reason === reason} @change=${() => choose(reason)} />
            <span>${label}</span>
          </label>`,
        )}
      </fieldset>
      <label class="label" for="comment">${answerStrings().commentLabel}</label>
      <div class="field">
        <textarea
          id="comment"
          rows="2"
          maxlength="2000"
          .value=${this.comment}
          @input=${(event: Event) => (this.comment = (event.target as HTMLTextAreaElement).value)}
        ></textarea>
        <button type="button" @click=${() => this.rate("not_helpful")}>${answerStrings().sendFeedback}</button>
      </div>`;
  }
}

if (!customElements.get("quoth-feedback")) customElements.define("quoth-feedback", QuothFeedback);
