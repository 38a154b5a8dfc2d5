import temml from "temml";

/** Sets a formula as MathML, which browsers lay out themselves. A wrong one stays as its source. */
export function setFormula(tex: string, element: HTMLElement, display: boolean): void {
  try {
    // Without trust, no command can make links, styles or classes.
    temml.render(tex, element, { displayMode: display, throwOnError: true, trust: false, maxExpand: 200, maxSize: [20, 20] });
  } catch {
    element.textContent = tex;
  }
}
