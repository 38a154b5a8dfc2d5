import { html, LitElement, nothing, type TemplateResult } from "lit";
import { ApiError } from "./api";
import type { FeedbackRequest } from "./api-types";
import type { Why } from "./feedback-reason";
import { panelStrings, strings } from "./strings";
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
  private declare stage: "asking" | "reason" | "sent";
  private declare failure: string;
  /** Loaded after a no. */
  private form: typeof import("./feedback-reason") | null = null;
  private isSending = false;
  /** Whether what was pressed had the focus: it then moves to what is said. */
  private hadFocus = false;
  private readonly why: Why = { reason: "", comment: "" };

  constructor() {
    super();
    this.responseId = this.failure = "";
    this.stage = "asking";
  }

  private async rate(rating: "helpful" | "not_helpful"): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    this.failure = "";
    const { responseId: response_id, why } = this;
    const { reason, comment } = why;
    const told = rating === "not_helpful" ? { reason: reason || null, comment: comment.trim() || null } : {};
    try {
      await this.send({ response_id, rating, ...told });
      this.hadFocus = this.shadowRoot?.activeElement != null;
      this.stage = "sent";
      await this.updateComplete;
      if (this.hadFocus) this.renderRoot.querySelector("p")?.focus();
    } catch (error) {
      this.failure = error instanceof ApiError ? error.message : strings.unavailable;
    }
    this.isSending = false;
  }

  private askReason = async (): Promise<void> => {
    try {
      this.form = await import("./feedback-reason");
    } catch {
      this.failure = strings.unavailable;
      return;
    }
    this.stage = "reason";
    void this.updateComplete.then(() => this.renderRoot.querySelector("input")?.focus());
  };

  protected override render(): TemplateResult {
    const { stage } = this;
    return html`<div class="feedback">
      ${stage === "asking" ? this.renderQuestion() : nothing}
      ${stage === "reason" ? this.form?.renderReason(this.why, () => this.rate("not_helpful")) : nothing}
      <p role=${this.hadFocus ? nothing : "status"} class="small" tabindex="-1">${stage === "sent" ? panelStrings.thanks : nothing}</p>
      <p role="alert" class="problem">${this.failure}</p>
    </div>`;
  }

  private renderQuestion(): TemplateResult {
    return html`<div class="row" role="group" aria-label=${panelStrings.feedback}>
      <span class="small">${panelStrings.feedback}</span>
      <button type="button" @click=${() => this.rate("helpful")}>${panelStrings.helpful}</button>
      <button type="button" @click=${this.askReason}>${panelStrings.notHelpful}</button>
    </div>`;
  }
}

if (!customElements.get("quoth-feedback")) customElements.define("quoth-feedback", QuothFeedback);
