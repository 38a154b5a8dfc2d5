import { setFormula } from "/_quoth/widget/quoth-math.js";

const MATHML = "http://www.w3.org/1998/Math/MathML";

/** Sets the page's formulas. Each keeps its TeX, by which the widget finds quotes. */
for (const element of document.querySelectorAll("main .math")) {
  const tex = element.textContent;
  setFormula(tex, element, element.classList.contains("block"));
  const math = element.querySelector("math");
  if (!math) continue;
  const semantics = document.createElementNS(MATHML, "semantics");
  const drawn = document.createElementNS(MATHML, "mrow");
  const annotation = document.createElementNS(MATHML, "annotation");
  annotation.setAttribute("encoding", "application/x-tex");
  annotation.textContent = tex;
  drawn.append(...math.childNodes);
  semantics.append(drawn, annotation);
  math.append(semantics);
}
