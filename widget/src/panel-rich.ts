import { html, nothing, type TemplateResult } from "lit";
import { ref } from "lit/directives/ref.js";
import type { Range, StyledRange } from "./api-types";
import { splitRichText } from "./rich-text";
import { panelStrings } from "./strings";

export type Content = TemplateResult | string | typeof nothing;
/** Puts code into the clipboard. Without it, code has no button: inside a link there is none. */
export type Copy = (code: string) => void;
type SetFormula = typeof import("./math").setFormula;
let loading: Promise<SetFormula> | null = null;

/** Names of fences that say only that it is no program. */
const NO_LANGUAGE = /^(?:|te?xt|plain(?:text)?|none)$/;

/** An answer's text with its code and formulas; everything else stays a text node. */
export function renderRich(text: string, copy?: Copy): Content[] {
  return splitRichText(text).map(({ kind, text: words, block, language }) => {
    if (kind === "code") return block ? renderCode(words, language, copy) : html`<code>${words}</code>`;
    if (kind === "math") return renderFormula(words, block);
    return words;
  });
}

/** A range of a book's words in the book's styles. Ranges count the code points that `letters` has. */
export function renderStyled(
  letters: readonly string[],
  [start, end]: Range,
  styles: readonly StyledRange[],
  copy?: Copy,
): Content[] {
  const content: Content[] = [];
  let at = start;
  const addPlain = (to: number) => content.push(...renderRich(letters.slice(at, to).join(""), copy));
  styles.forEach(({ start: first, end: last, style }, n) => {
    const [from, to] = [Math.max(first, at), Math.min(last, end)];
    if (from >= to) return;
    addPlain(from);
    const inner = () => renderStyled(letters, [from, to], styles.slice(n + 1), copy);
    if (style === "code") content.push(html`<code>${letters.slice(from, to).join("")}</code>`);
    else content.push(style === "strong" ? html`<strong>${inner()}</strong>` : html`<em>${inner()}</em>`);
    at = to;
  });
  addPlain(end);
  return content;
}

export function renderCode(code: string, language: string, copy?: Copy): TemplateResult {
  const named = !NO_LANGUAGE.test(language);
  return html`<figure class="code">
    <figcaption>
      <span>${named ? language : nothing}</span>
      ${copy ? html`<button type="button" @click=${() => copy(code)}>${panelStrings.copyCode}</button>` : nothing}
    </figcaption>
    <pre tabindex="0"><code class=${named ? `language-${language}` : nothing}>${code}</code></pre>
  </figure>`;
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
