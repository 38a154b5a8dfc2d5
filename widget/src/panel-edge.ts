import { html, type TemplateResult } from "lit";
import { NARROWEST } from "./dock";
import { panelStrings } from "./strings";

/** In px. */
const STEP = 20;

const widest = () => Math.max(NARROWEST, Math.round(innerWidth / 2));

/** The edge that the panel's width is changed by, with the mouse or the arrow keys. */
export function renderEdge(width: number, change: (width: number) => void): TemplateResult {
  const isMirrored = () => getComputedStyle(document.documentElement).direction === "rtl";
  const set = (wanted: number) => change(Math.min(widest(), Math.max(NARROWEST, Math.round(wanted))));
  const press = (event: PointerEvent) => (event.target as Element).setPointerCapture(event.pointerId);
  const move = (event: PointerEvent) => {
    if (!(event.target as Element).hasPointerCapture(event.pointerId)) return;
    set(isMirrored() ? event.clientX : innerWidth - event.clientX);
  };
  const type = ({ key }: KeyboardEvent) => {
    const away = key === (isMirrored() ? "ArrowRight" : "ArrowLeft");
    if (away || key === "ArrowLeft" || key === "ArrowRight") set(width + (away ? STEP : -STEP));
  };
  return html`<div class="edge" role="separator" tabindex="0" aria-orientation="vertical"
    aria-label=${panelStrings.width} aria-valuenow=${width} aria-valuemin=${NARROWEST} aria-valuemax=${widest()}
    @pointerdown=${press} @pointermove=${move} @keydown=${type}></div>`;
}
