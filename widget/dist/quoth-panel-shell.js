/*! Contains Lit, Copyright 2017 Google LLC, SPDX-License-Identifier: BSD-3-Clause */
import{C as e,M as t,S as n,a as r,j as i,l as a,t as o,w as s}from"./quoth-shared.js";var c=320,l=20,u=()=>Math.max(c,Math.round(innerWidth/2));function d(e,n){let r=()=>getComputedStyle(document.documentElement).direction===`rtl`,i=e=>n(Math.min(u(),Math.max(c,Math.round(e))));return t`<div class="edge" role="separator" tabindex="0" aria-orientation="vertical"
aria-label=${s.width} aria-valuenow=${e} aria-valuemin=${c} aria-valuemax=${u()}
@pointerdown=${e=>e.target.setPointerCapture(e.pointerId)} @pointermove=${e=>{e.target.hasPointerCapture(e.pointerId)&&i(r()?e.clientX:innerWidth-e.clientX)}} @keydown=${({key:t})=>{let n=t===(r()?`ArrowRight`:`ArrowLeft`);(n||t===`ArrowLeft`||t===`ArrowRight`)&&i(e+(n?l:-20))}}></div>`}function f(e,r){let{question:o,search:c}=e,l=a(o),u=l<0?s.tooLong(-l):e.problem;return t`<form part="form" novalidate @submit=${t=>{t.preventDefault(),e.submit()}}>
${e.mode===`book-wide`?i:m(e)}
<details class="modes" ?open=${e.selectedText!==``}>
<summary class="small">${s.activeMode(n(e.mode))}</summary>
${p(e)} ${e.mode===`book-wide`?r:i}
</details>
${c?.render()}
<label class="label" for="question">${s.questionLabel}</label>
<div class="field">
<input
id="question"
type="text"
role="combobox"
autocomplete="off"
enterkeyhint="send"
placeholder=${s.questionPlaceholder}
aria-autocomplete="list"
aria-expanded=${c?.isOpen?`true`:`false`}
aria-controls=${c?.isOpen?`found`:i}
aria-activedescendant=${c?.activeId??i}
aria-describedby="count problem"
aria-invalid=${u?`true`:`false`}
.value=${o}
@input=${t=>e.typeQuestion(t.target.value)}
@keydown=${e=>c?.press(e)}
@blur=${()=>c?.close()}
/>
<button class="primary" type="submit">${s.submit}</button>
</div>
<p id="count" class="small" ?hidden=${!o||l<0}>${s.charactersLeft(l)}</p>
<p id="problem" class="problem" ?hidden=${!u}>${u}</p>
</form>`}function p(e){let n=(n,r,i)=>t`<label class="choice ${i?`off`:``}">
<input
type="radio"
name="mode"
value=${n}
?disabled=${i}
.checked=${e.mode===n}
@change=${()=>e.chooseMode(n)}
/>
<span>${r}</span>
</label>`;return t`<fieldset class="row">
<legend class="sr">${s.modeLabel}</legend>
${n(`selected-text`,s.modeSelection,e.selectedText===``)}
${e.selectedText&&e.hasSource?n(`highlight`,s.modeHighlight,!1):i}
${n(`book-wide`,s.modeBook,!1)}
${e.selectedText?i:t`<p class="small">${s.modeSelectionHint}</p>`}
</fieldset>`}function m(n){return t`<figure class="selection" aria-label=${s.selectionLabel}>
<blockquote tabindex="0" class="held" lang=${e()}>${n.parts.map(({text:e,cited:n})=>n?t`<mark>${e}</mark>`:e)}</blockquote>
<figcaption class="small">${s.selectionLabel}, ${s.words(r(n.selectedText))}</figcaption>
${n.truncated?t`<p class="notice">${s.selectionTruncated}</p>`:i}
${n.tooShort?t`<p class="notice">${s.selectionTooShort(n.minWords)}</p>`:i}
</figure>`}function h(e){let{exchange:n,form:r}=e,{asked:a}=n;return t`<section class="panel ${a?`tall`:``}" part="panel" role="dialog" aria-labelledby="title">
${d(e.width,e.changeWidth)}
<div class="top">
<h2 id="title">${s.title}</h2>
${a?t`<button type="button" class="anew" @click=${e.startAnew}>${s.newConversation}</button>`:i}
<button type="button" aria-label=${s.close} @click=${e.close}>
<span aria-hidden="true">×</span>
</button>
</div>
<div class="body" role="group" tabindex="0" aria-label=${s.conversation}>
${e.modeNote?t`<p class="small mode-note">${e.modeNote}</p>`:i}
${n.earlier.map(t=>_(t,e))}
${v(e)}
${a||r.mode!==`book-wide`?i:C(e)}
</div>
${f(r,b(e))}
${r.tooShort?S(e):i}
</section>`}function g({asked:e,answer:t},n){return{...n,...n.jumps.links,answer:t,askWholeBook:()=>n.askWholeBook(e.question)}}function _(e,n){let{view:r}=n.exchange,i=g(e,n);return t`<div class="turn">
${y(e.asked.question)} ${r?.renderAnswerText(i)}
<div class="sources">${r?.renderAnswerSources(i)}</div>
</div>`}function v(e){let{asked:n,answer:r,sections:a,progress:c,failure:l,view:u}=e.exchange,d=n&&r&&g({asked:n,answer:r},e);return t`<div class="turn last">
${n?y(n.question):i}
<div role="alert">${l?x(l,e):i}</div>
<div role="status" aria-atomic="false">
${c?t`<p class="progress"><span>${u?.renderCounted(c,`turn`)??c}</span></p>`:i}
${d?u?.renderAnswerText(d):i}
</div>
${o(s.sectionsWhileWaiting,a,e.jumps.links)}
${d?t`<div class="sources">${u?.renderAnswerSources(d)}</div>`:i}
</div>`}var y=e=>t`<h3 class="asked" dir="auto">${e}</h3>`;function b({chapter:e,prefersChapter:n,preferChapter:r}){if(!e)return i;let{chapter_title:a}=e;return t`<div class="chapter">
${a?t`<span class="badge">${s.chapter(a)}</span>`:i}
<label class="choice">
<input
type="checkbox"
role="switch"
.checked=${n}
@change=${e=>r(e.target.checked)}
/>
<span>${s.preferChapter}</span>
</label>
</div>`}function x(e,n){return t`<div class="error">
<span>${n.exchange.view?.renderCounted(e,`retry`)??e}</span>
<button type="button" @click=${n.retry}>${s.retry}</button>
</div>`}function S(e){return t`<button class="wide" type="button" @click=${()=>e.askWholeBook()}>${s.askWholeBook}</button>`}function C(e){return e.suggestions.length===0?i:t`<h3>${s.suggestions}</h3>
${e.suggestions.map(n=>t`<button class="suggestion" type="button" @click=${()=>e.askAgain(n)}>${n}</button>`)}`}function w(e){try{let t=JSON.parse(e);return Array.isArray(t)?t.filter(e=>typeof e==`string`):[]}catch{return[]}}export{w as readSuggestions,h as renderPanel};