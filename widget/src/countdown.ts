import { html, LitElement, type TemplateResult } from "lit";
import { panelStrings } from "./strings";

/** A sentence whose last number is in seconds. */
const SECONDS = /^([^]*\D)(\d{1,4})( (?:seconds?|Sekunden?)\b[^\d]*)$/;

/** A sentence that says how many seconds to wait counts them down. Any other stays as it is. */
export function renderCounted(sentence: string, whatFor: "turn" | "retry"): string | TemplateResult {
  if (!SECONDS.test(sentence)) return sentence;
  return html`<quoth-countdown .sentence=${sentence} .whatFor=${whatFor}></quoth-countdown>`;
}

/** Only the number changes, and silently: a screen reader is told of a new sentence alone. */
export class QuothCountdown extends LitElement {
  static override properties = { sentence: { attribute: false }, whatFor: { attribute: false }, left: { state: true } };
  declare sentence: string;
  declare whatFor: "turn" | "retry";
  private declare left: number;
  private timer = 0;

  constructor() {
    super();
    this.sentence = "";
    this.whatFor = "turn";
    this.left = 0;
  }

  protected override createRenderRoot(): HTMLElement {
    return this; // its text belongs to the live region around it
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.timer = window.setInterval(() => (this.left = Math.max(0, this.left - 1)), 1000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("sentence")) this.left = Number(SECONDS.exec(this.sentence)?.[2] ?? 0);
  }

  protected override render(): TemplateResult {
    const [, before = "", , after = ""] = SECONDS.exec(this.sentence) ?? [];
    if (this.left === 0) return html`<span>${panelStrings.waited[this.whatFor]}</span>`;
    return html`${before}<span aria-live="off">${this.left}</span>${after}`;
  }
}

if (!customElements.get("quoth-countdown")) customElements.define("quoth-countdown", QuothCountdown);
