import { css } from "lit";

/** The look of an answer. It comes with the first one. */
export const answerStyles = css`
  .claim, .response { margin-top: 0.6em; white-space: pre-line; }
  .claim { white-space: normal; }
  .claim + .claim { margin-top: 0.4em; }
  .place { margin-top: 0.9em; font-size: 0.85em; font-weight: 600; }
  .place a { display: inline-block; padding-block: 0.2em; color: var(--_muted); text-decoration-color: var(--_line); text-underline-offset: 0.2em; }
  .place + .claim { margin-top: 0.1em; }
  .excerpt { font-size: 1.03em; line-height: 1.6; overflow-wrap: break-word; }
  .excerpt + .excerpt { margin-top: 0.8em; }
  .excerpt > * + * { margin-top: 0.5em; }
  .excerpt ul, .excerpt ol { padding-inline-start: 1.5em; }
  .excerpt li + li, .excerpt li > ul, .excerpt li > ol { margin-top: 0.3em; }
  .excerpt li::marker { color: var(--_muted); }
  .key code { background: none; }
  .key { background: var(--_key-literal); color: inherit; border-radius: 0.15em; box-decoration-break: clone; padding-inline: 0.1em; }
  .wide-table { overflow-x: auto; }
  table { border-collapse: collapse; min-width: 100%; font-size: 0.92em; line-height: 1.4; overflow-wrap: normal; }
  th, td { padding: 0.35em 0.9em 0.35em 0; text-align: start; vertical-align: top; border-bottom: 1px solid var(--_line); }
  th { border-bottom-color: var(--_edge); }
  .code { border: 1px solid var(--_line); border-radius: var(--_radius); overflow: hidden; background: var(--_soft); }
  .code figcaption { display: flex; justify-content: space-between; align-items: center; padding-inline-start: 0.8em; font-size: 0.8em; color: var(--_muted); }
  .code button { padding: 0.1em 1em; border: 0; background: none; color: var(--_link); }
  .code pre { margin: 0; padding: 0.1em 0.8em 0.7em; line-height: 1.5; }
  .tail { text-align: end; }
  .excerpt > .tail { margin-top: 0.1em; }
  .mark { display: inline-block; min-width: 24px; min-height: 24px; text-align: center; font-weight: 600; }
  .reworded { display: inline; }
  .reworded summary { display: inline-block; min-width: 24px; min-height: 24px; text-align: center; color: var(--_muted); cursor: help; }
  .plain { min-height: 24px; min-width: 24px; padding: 0; border: 0; background: none; color: var(--_link); text-decoration: underline; text-align: start; }
  .citations { list-style: none; }
  .citations li { margin-top: 0.5em; }
  .quotes { list-style: none; }
  .quotes a, .quotes button { display: block; min-height: 44px; width: 100%; padding-block: 0.6em; color: var(--_fg); font-size: 0.92em; font-weight: 400; line-height: 1.4; text-decoration: none; white-space: pre-line; }
  .quotes li { border-inline-start: 3px solid var(--_line); padding-inline-start: 0.7em; }
  .quotes a:hover, .quotes button:hover { text-decoration: underline; }
  .quotes code { white-space: pre-wrap; }
  .brief a > *, .brief button > * { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
  .selection blockquote { border-inline-start: 3px solid var(--_line); padding-inline-start: 0.7em; font-size: 0.92em; }
  .citations .badge { display: table; margin: -0.3em 0 0.5em; }
  .notes { margin-top: 0.8em; }
  summary { cursor: pointer; }
  .notes summary, .copy summary { min-height: 24px; }
  .notes summary { list-style: none; }
  :is(.notes, .reworded) summary::-webkit-details-marker { display: none; }
  .notes:not([open]) summary { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .copy button { font-size: 0.85em; padding-block: 0.2em; border-color: transparent; color: var(--_link); padding-inline: 0.5em; }
  .feedback { margin-top: 1em; padding-top: 0.6em; border-top: 1px solid var(--_line); }
  .feedback p:empty { display: none; }
  .feedback .choice { display: flex; margin: 0; }
  code, pre { font-family: var(--ifm-font-family-monospace, ui-monospace, monospace); font-size: 0.9em; background: var(--_soft); border-radius: 0.2em; }
  :not(pre) > code { padding: 0 0.2em; }
  pre { margin: 0.4em 0; padding: 0.5em 0.7em; overflow-x: auto; white-space: pre; }
  .math.display { display: block; padding-block: 0.5em; overflow-x: auto; text-align: center; }
`;
