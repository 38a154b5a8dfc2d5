/** In px. */
export const USUAL_WIDTH = 416;
export const NARROWEST = 320;
/** In px: how wide the page's text must stay beside the panel. */
const LEAST_TEXT = 336;

/** Whether the panel is a sheet over the whole width of the screen. */
export const isSheet = () => matchMedia("(max-width:600px)").matches;

const sheet = "adoptedStyleSheets" in document ? new CSSStyleSheet() : null;
let measured = "";
let docked = 0;

/**
 * Makes room for the panel beside the page's text: of the width wanted, else of the least. Tells which
 * it has; 0 where the text would become too narrow, or none is wanted.
 */
export function dock(wanted: number): number {
  const now = `${wanted} ${innerWidth} ${location.pathname}`;
  if (!sheet || now === measured) return docked;
  measured = now;
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
  const widths = wanted && !isSheet() ? [wanted, NARROWEST] : [];
  docked = widths.find(hasRoom) ?? 0;
  if (!docked) sheet.replaceSync("");
  return docked;
}

function hasRoom(width: number): boolean {
  const rule = `:root{box-sizing:border-box!important;padding-inline-end:${width}px!important}`;
  sheet?.replaceSync(`@media screen{${rule}quoth-widget{--_width:${width}px}}`);
  const text = document.querySelector("main h1,article h1") ?? document.querySelector("h1,main") ?? document.body;
  return text.clientWidth >= LEAST_TEXT;
}
