import { html, nothing } from "lit";
import type { Claim, ClaimPart, ListItem, Range } from "./api-types";
import { type Content, type Copy, renderCode, renderStyled } from "./panel-rich";

type Words = (range: Range) => Content[];

/** A quote in the form that it has in the book. `end` follows its last words. */
export function renderExcerpt({ text, parts, emphasis, styles }: Claim, end: Content, copy: Copy): Content[] {
  const letters = Array.from(text); // ranges count code points
  const textOf = ([from, to]: Range) => letters.slice(from, to).join("");
  const words: Words = (range) =>
    splitAt(range, emphasis).map(({ part, isKey }) => {
      const styled = renderStyled(letters, part, styles, copy);
      return isKey ? html`<mark class="key">${styled}</mark>` : html`${styled}`;
    });
  return parts.map((part, at) => {
    const tail = at === parts.length - 1 ? end : nothing;
    const range: Range = [part.start, part.end];
    if (part.form === "list") return renderItems(part.items, words, tail);
    if (part.form === "table") return html`${renderTable(part, words)}${renderTail(tail)}`;
    if (part.form === "code") return html`${renderCode(textOf(range), part.language, copy)}${renderTail(tail)}`;
    return html`<p>${words(range)} ${tail}</p>`;
  });
}

/** A range cut where emphasis begins and ends. */
export function splitAt([start, end]: Range, emphasis: readonly Range[]): { part: Range; isKey: boolean }[] {
  const parts: { part: Range; isKey: boolean }[] = [];
  let at = start;
  for (const [from, to] of emphasis) {
    const [first, last] = [Math.max(from, at), Math.min(to, end)];
    if (first >= last) continue;
    if (first > at) parts.push({ part: [at, first], isKey: false });
    parts.push({ part: [first, last], isKey: true });
    at = last;
  }
  if (at < end) parts.push({ part: [at, end], isKey: false });
  return parts;
}

/** The items of a list, those of nested lists in the item before them. */
function renderItems(items: readonly ListItem[], words: Words, tail: Content): Content {
  const [first] = items;
  if (!first) return nothing;
  const own = items.map((_, at) => at).filter((at) => (items[at] as ListItem).level <= first.level);
  const rows = own.map((at, n) => {
    const inner = items.slice(at + 1, own[n + 1]);
    const end = n === own.length - 1 ? tail : nothing;
    const { start, end: to, number } = items[at] as ListItem;
    return html`<li value=${number ?? nothing}>
      ${words([start, to])} ${inner.length > 0 ? renderItems(inner, words, end) : end}
    </li>`;
  });
  return first.number === null ? html`<ul>${rows}</ul>` : html`<ol>${rows}</ol>`;
}

function renderTable({ header, rows }: ClaimPart, words: Words): Content {
  const names = header.map((cell) => html`<th scope="col">${words(cell)}</th>`);
  return html`<div class="wide-table" tabindex="0">
    <table>
      ${names.length > 0 ? html`<thead><tr>${names}</tr></thead>` : nothing}
      <tbody>
        ${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${words(cell)}</td>`)}</tr>`)}
      </tbody>
    </table>
  </div>`;
}

function renderTail(tail: Content): Content {
  return tail === nothing ? nothing : html`<p class="tail">${tail}</p>`;
}
