import { css } from "lit";

/**
 * Each colour is --quoth-*, else Docusaurus's --ifm-*, else the literal of the page sheet below.
 * Many a site's own link colour is too faint to read: it is taken nearer to that of the text.
 * Custom properties cross into the shadow root, so dark mode needs no script.
 */
export const styles = css`
  :host {
    --_bg: var(--quoth-background, var(--ifm-background-surface-color, var(--_bg-literal, #fff)));
    --_fg: var(--quoth-color, var(--ifm-font-color-base, var(--_fg-literal, #1c1e21)));
    --_muted: var(--quoth-muted-color, var(--_muted-literal, #525860));
    --_line: var(--quoth-border-color, var(--ifm-color-emphasis-300, var(--_line-literal, #d0d4da)));
    --_edge: var(--quoth-field-border-color, var(--_edge-literal, #767c85));
    --_soft: var(--quoth-soft-background, var(--_soft-literal, #f2f4f6));
    --_link: var(--quoth-link-color, color-mix(in srgb, var(--ifm-link-color, var(--_link-literal, #1f5fae)) 65%, var(--_fg)));
    --_primary: var(--quoth-primary-color, color-mix(in srgb, var(--ifm-color-primary, var(--_primary-literal, #1f5fae)) 65%, var(--_fg)));
    --_on-primary: var(--quoth-on-primary-color, var(--ifm-font-color-base-inverse, var(--_on-primary-literal, #fff)));
    --_alert: var(--quoth-alert-color, var(--_alert-literal, #a3192b));
    --_radius: var(--quoth-radius, var(--ifm-global-radius, 0.4em));
    --_z: var(--quoth-z-index, 300);
    font: var(--quoth-font-size, medium)/1.5 var(--quoth-font-family, var(--ifm-font-family-base, system-ui, sans-serif));
    color: var(--_fg);
  }
  * { box-sizing: border-box; }
  [hidden] { display: none !important; }
  button, input { font: inherit; color: inherit; }
  button { min-height: 44px; min-width: 44px; cursor: pointer; border-radius: var(--_radius); border: 1px solid var(--_line); background: var(--_bg); padding: 0.4em 0.9em; }
  a { color: var(--_link); }
  :focus-visible { outline: 3px solid var(--_link); outline-offset: 2px; }
  h2, h3, p, ol, ul, figure, blockquote, fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
  h3 { font-size: 1em; margin-top: 1em; }
  .primary, .launcher, .ask-selection button { background: var(--_primary); color: var(--_on-primary); border-color: transparent; font-weight: 600; }
  .launcher, .ask-selection, .panel { position: fixed; z-index: var(--_z); box-shadow: 0 4px 18px rgb(0 0 0 / 25%); }
  .launcher { inset-inline-end: 1em; bottom: calc(1em + env(safe-area-inset-bottom, 0px)); border-radius: 99px; padding-inline: 1.2em; }
  .bar { animation: slide 0.25s; }
  @keyframes slide { from { transform: translateY(-60dvh); } }
  .ask-selection { z-index: calc(var(--_z) + 1); display: flex; gap: 1px; border-radius: var(--_radius); overflow: hidden; background: var(--_bg); }
  .ask-selection button { border-radius: 0; padding-inline: 0.7em; }
  .ask-selection :focus-visible { outline-offset: -4px; outline-color: currentColor; }
  .edge { position: absolute; inset-block: 0; inset-inline-start: 0; width: 8px; cursor: ew-resize; touch-action: none; z-index: 1; }
  .edge:hover { background: var(--_line); }
  .edge:focus-visible { background: var(--_link); }
  .panel { inset-inline-end: 1em; bottom: 1em; width: min(26em, calc(100vw - 2em)); max-height: min(44em, calc(100dvh - 2em)); display: flex; flex-direction: column; background: var(--_bg); border: 1px solid var(--_line); border-radius: calc(var(--_radius) * 2); overflow: hidden; }
  .tall { height: min(44em, calc(100dvh - 2em)); }
  .beside { inset-inline-end: 0; inset-block: 0; width: var(--_width); height: auto; max-height: none; border-width: 0; border-inline-start-width: 1px; border-radius: 0; box-shadow: none; }
  .top { display: flex; align-items: center; justify-content: space-between; padding-block: 0.3em; padding-inline: 1em 0.4em; gap: 0.6em; border-bottom: 1px solid var(--_line); }
  .top h2 { flex: 1; font-size: 1.1em; }
  .top button { border-color: transparent; font-size: 1.4em; line-height: 1; padding: 0; }
  .body { position: relative; flex: 1 1 auto; min-height: 3em; overflow-y: auto; overscroll-behavior: contain; padding: 0.4em 1em 1em; overflow-wrap: anywhere; }
  .turn + .last { min-height: 100%; }
  .turn + .turn { border-top: 1px solid var(--_line); margin-top: 1em; }
  .asked { margin-top: 0.8em; background: var(--_soft); border-radius: var(--_radius); padding: 0.5em 0.8em; }
  .anew { font-size: 0.85em !important; text-decoration: underline; }
  form { padding: 0.2em 1em 0.8em; border-top: 1px solid var(--_line); flex: none; max-height: 70%; overflow-y: auto; }
  summary { cursor: pointer; min-height: 44px; align-content: center; }
  .found { list-style: none; margin-bottom: 0.5em; max-height: 14em; overflow-y: auto; border: 1px solid var(--_edge); border-radius: var(--_radius); }
  .found li { min-height: 44px; align-content: center; padding-inline: 0.7em; cursor: pointer; }
  .found li:hover { background: var(--_soft); }
  .found [aria-selected=true] { background: var(--_primary); color: var(--_on-primary); }
  .label { display: block; font-weight: 600; font-size: 0.9em; padding: 0; }
  .small { font-size: 0.85em; color: var(--_muted); }
  .modes p { flex-basis: 100%; }
  .choice { display: inline-flex; align-items: center; gap: 0.45em; min-height: 44px; cursor: pointer; }
  .choice input { width: 1.1em; height: 1.1em; margin: 0; accent-color: var(--_primary); }
  .off { color: var(--_muted); cursor: default; }
  .field { display: flex; gap: 0.5em; align-items: stretch; margin-top: 0.25em; }
  #question { flex: 1; min-width: 0; min-height: 44px; padding: 0.5em 0.6em; background: var(--_bg); border: 1px solid var(--_edge); border-radius: var(--_radius); }
  #question::placeholder { color: var(--_muted); opacity: 1; }
  .problem, .error { color: var(--_alert); }
  .error { margin-top: 0.8em; padding: 0.6em 0.8em; border: 1px solid currentColor; border-radius: var(--_radius); }
  .error button { margin-top: 0.5em; display: block; color: var(--_fg); }
  .notice { margin-top: 0.5em; padding: 0.45em 0.7em; background: var(--_soft); border-inline-start: 3px solid var(--_edge); font-size: 0.9em; }
  .selection { background: var(--_soft); border-radius: var(--_radius); padding: 0.6em 0.8em; margin-bottom: 0.6em; }
  .selection .small { margin-top: 0.25em; }
  .progress { display: flex; gap: 0.6em; align-items: center; margin-top: 1em; }
  .progress::before { content: ""; width: 1em; height: 1em; flex: none; border: 2px solid var(--_edge); border-top-color: transparent; border-radius: 50%; animation: turn 0.9s linear infinite; }
  @keyframes turn { to { transform: rotate(1turn); } }
  .badge { display: inline-block; font-size: 0.75em; line-height: 1.4; padding: 0 0.4em; border: 1px solid currentColor; border-radius: 99px; color: var(--_muted); white-space: nowrap; }
  .jump, .sections a { display: inline-flex; gap: 0.35em; padding-block: 10px; }
  .suggestion { display: block; width: 100%; margin-top: 0.4em; text-align: start; }
  .held { max-height: 9em; overflow-y: auto; white-space: pre-line; }
  mark { background: var(--_mark, #ffe08a); color: #1c1e21; }
  .chapter, .row { display: flex; flex-wrap: wrap; align-items: center; column-gap: 0.8em; }
  .row { gap: 0.5em; }
  .jump > span { flex: none; }
  .sections { list-style: none; }
  .small + h3 { margin-top: 0.8em; }
  .wide { width: 100%; margin-top: 0.8em; }
  .sr { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  @media (max-width: 600px) {
    .panel { right: 0; left: 0; bottom: 0; width: auto; max-height: 85dvh;  border-radius: calc(var(--_radius) * 2) calc(var(--_radius) * 2) 0 0; border-width: 1px 0 0; padding-bottom: env(safe-area-inset-bottom, 0px); }
    .tall { height: 85dvh; }
    #question { font-size: 16px; }
    .bar { inset-inline: 0; bottom: 0; border-radius: 0; padding-bottom: max(0.4em, env(safe-area-inset-bottom, 0px)); }
  }
  @media (prefers-reduced-motion: reduce) {
    .bar { animation: none; }
    .progress::before { animation: none; border-top-color: var(--_edge); }
  }
  @media print { :host { display: none !important; } }
`;

const LIGHT = `--_bg-literal:#fff;--_fg-literal:#1c1e21;--_muted-literal:#525860;--_line-literal:#d0d4da;
--_edge-literal:#767c85;--_soft-literal:#f2f4f6;--_link-literal:#1f5fae;--_primary-literal:#1f5fae;
--_on-primary-literal:#fff;--_alert-literal:#a3192b;--_key-literal:#fff0bd;color-scheme:light;`;
const DARK = `--_bg-literal:#242526;--_fg-literal:#e3e3e3;--_muted-literal:#b4b9c1;--_line-literal:#4a4d52;
--_edge-literal:#8b9097;--_soft-literal:#303236;--_link-literal:#8ab8f5;--_primary-literal:#8ab8f5;
--_on-primary-literal:#14181d;--_alert-literal:#ff9aa5;--_key-literal:#5c4d1f;color-scheme:dark;`;

/**
 * The only rules outside the shadow root: literals that follow the page's theme (a shadow root
 * cannot see the page's data-theme in every browser), and the look of a highlighted quote.
 */
const PAGE_RULES = `
quoth-widget{${LIGHT}}
@media (prefers-color-scheme:dark){:root:not([data-theme]) quoth-widget{${DARK}}}
[data-theme=dark] quoth-widget{${DARK}}
::highlight(quoth-quote){background-color:#ffe08a;color:#1c1e21}
mark.quoth-quote{background-color:#ffe08a;color:#1c1e21}
::highlight(quoth-quoted){background-color:rgb(255 208 74/28%)}
mark.quoth-quoted{background-color:rgb(255 208 74/28%);color:inherit}`;

let pageSheet: CSSStyleSheet | null = null;

/** Adds the page rules once, without an inline style that a content security policy could refuse. */
export function adoptPageRules(): void {
  if (pageSheet || !("adoptedStyleSheets" in document)) return;
  pageSheet = new CSSStyleSheet();
  pageSheet.replaceSync(PAGE_RULES);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, pageSheet];
}
