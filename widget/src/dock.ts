/** In px. */
export const USUAL_WIDTH = 416;

/** Whether the panel has room beside the text; `styles.ts` has the same width. */
export const roomBeside = matchMedia("(min-width:75rem)");
/** Whether the panel is a sheet over the whole width of the screen. */
export const isSheet = () => matchMedia("(max-width:600px)").matches;

const sheet = "adoptedStyleSheets" in document ? new CSSStyleSheet() : null;

/** Makes room for the panel beside the page's text, and takes it back with a width of 0. */
export function dock(width: number): void {
  if (!sheet) return;
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
  const rule = `:root{box-sizing:border-box!important;padding-inline-end:${width}px!important}`;
  sheet.replaceSync(width ? `@media screen and (min-width:75rem){${rule}}quoth-widget{--_width:${width}px}` : "");
}
