import { html, type TemplateResult } from "lit";
import { ref } from "lit/directives/ref.js";
import { splitRichText } from "./rich-text";

type SetFormula = typeof import("./math").setFormula;
let loading: Promise<SetFormula> | null = null;

/** An answer's text with its code and formulas; everything else stays a text node. */
export function renderRich(text: string): (string | TemplateResult)[] {
  return splitRichText(text).map(({ kind, text: words, block }) => {
    if (kind === "code") return block ? html`<pre tabindex="0"><code>${words}</code></pre>` : html`<code>${words}</code>`;
    if (kind === "math") return renderFormula(words, block);
    return words;
  });
}

function renderFormula(tex: string, display: boolean): TemplateResult {
  const set = (element?: Element) => {
    if (!(element instanceof HTMLElement) || element.dataset.tex === tex) return;
    element.dataset.tex = tex;
    element.textContent = tex; // until the renderer is here, and for good without it
    loading ??= import("./math").then((module) => module.setFormula);
    loading.then(
      (setFormula) => element.dataset.tex === tex && setFormula(tex, element, display),
      () => (loading = null),
    );
  };
  return html`<span class=${display ? "math display" : "math"} ${ref(set)}></span>`;
}
