/*! Contains Lit, Copyright 2017 Google LLC, SPDX-License-Identifier: BSD-3-Clause */
import{A as e,C as t,S as n,j as r,r as i,s as a,t as o,x as s}from"./quoth-shared.js";var c=320,l=20,u=()=>Math.max(c,Math.round(innerWidth/2));function d(e,n){let i=()=>getComputedStyle(document.documentElement).direction===`rtl`,a=e=>n(Math.min(u(),Math.max(c,Math.round(e))));return r`<div class="edge" role="separator" tabindex="0" aria-orientation="vertical"
aria-label=${t.width} aria-valuenow=${e} aria-valuemin=${c} aria-valuemax=${u()}
@pointerdown=${e=>e.target.setPointerCapture(e.pointerId)} @pointermove=${e=>{e.target.hasPointerCapture(e.pointerId)&&a(i()?e.clientX:innerWidth-e.clientX)}} @keydown=${({key:t})=>{let n=t===(i()?`ArrowRight`:`ArrowLeft`);(n||t===`ArrowLeft`||t===`ArrowRight`)&&a(e+(n?l:-20))}}></div>`}function f(n,i){let{question:o,search:c}=n,l=a(o),u=l<0?t.tooLong(-l):n.problem;return r`<form part="form" novalidate @submit=${e=>{e.preventDefault(),n.submit()}}>
${n.mode===`book-wide`?e:m(n)}
<details class="modes" ?open=${n.selectedText!==``}>
<summary class="small">${t.activeMode(s(n.mode))}</summary>
${p(n)} ${n.mode===`book-wide`?i:e}
</details>
${c?.render()}
<label class="label" for="question">${t.questionLabel}</label>
<div class="field">
<input
id="question"
type="text"
role="combobox"
autocomplete="off"
enterkeyhint="send"
placeholder=${t.questionPlaceholder}
aria-autocomplete="list"
aria-expanded=${c?.isOpen?`true`:`false`}
aria-controls=${c?.isOpen?`found`:e}
aria-activedescendant=${c?.activeId??e}
aria-describedby="count problem"
aria-invalid=${u?`true`:`false`}
.value=${o}
@input=${e=>n.typeQuestion(e.target.value)}
@keydown=${e=>c?.press(e)}
@blur=${()=>c?.close()}
/>
<button class="primary" type="submit">${t.submit}</button>
</div>
<p id="count" class="small" ?hidden=${!o||l<0}>${t.charactersLeft(l)}</p>
<p id="problem" class="problem" ?hidden=${!u}>${u}</p>
</form>`}function p(n){let i=(e,t,i)=>r`<label class="choice ${i?`off`:``}">
<input
type="radio"
name="mode"
value=${e}
?disabled=${i}
.checked=${n.mode===e}
@change=${()=>n.chooseMode(e)}
/>
<span>${t}</span>
</label>`;return r`<fieldset class="row">
<legend class="sr">${t.modeLabel}</legend>
${i(`selected-text`,t.modeSelection,n.selectedText===``)}
${n.selectedText&&n.hasSource?i(`highlight`,t.modeHighlight,!1):e}
${i(`book-wide`,t.modeBook,!1)}
${n.selectedText?e:r`<p class="small">${t.modeSelectionHint}</p>`}
</fieldset>`}function m(a){return r`<figure class="selection" aria-label=${t.selectionLabel}>
<blockquote tabindex="0" class="held" lang=${n()}>${a.parts.map(({text:e,cited:t})=>t?r`<mark>${e}</mark>`:e)}</blockquote>
<figcaption class="small">${t.selectionLabel}, ${t.words(i(a.selectedText))}</figcaption>
${a.truncated?r`<p class="notice">${t.selectionTruncated}</p>`:e}
${a.tooShort?r`<p class="notice">${t.selectionTooShort(a.minWords)}</p>`:e}
</figure>`}function h(n){let{exchange:i,form:a}=n,{asked:o}=i;return r`<section class="panel ${o?`tall`:``}" part="panel" role="dialog" aria-labelledby="title">
${d(n.width,n.changeWidth)}
<div class="top">
<h2 id="title">${t.title}</h2>
${o?r`<button type="button" class="anew" @click=${n.startAnew}>${t.newConversation}</button>`:e}
<button type="button" aria-label=${t.close} @click=${n.close}>
<span aria-hidden="true">×</span>
</button>
</div>
<div class="body" role="group" tabindex="0" aria-label=${t.conversation}>
${n.modeNote?r`<p class="small mode-note">${n.modeNote}</p>`:e}
${i.earlier.map(e=>_(e,n))}
${v(n)}
${o||a.mode!==`book-wide`?e:C(n)}
</div>
${f(a,b(n))}
${a.tooShort?S(n):e}
</section>`}function g({asked:e,answer:t},n){return{...n,...n.jumps.links,answer:t,askWholeBook:()=>n.askWholeBook(e.question)}}function _(e,t){let{view:n}=t.exchange,i=g(e,t);return r`<div class="turn">
${y(e.asked.question)} ${n?.renderAnswerText(i)}
<div class="sources">${n?.renderAnswerSources(i)}</div>
</div>`}function v(n){let{asked:i,answer:a,sections:s,progress:c,failure:l,view:u}=n.exchange,d=i&&a&&g({asked:i,answer:a},n);return r`<div class="turn last">
${i?y(i.question):e}
<div role="alert">${l?x(l,n):e}</div>
<div role="status" aria-atomic="false">
${c?r`<p class="progress"><span>${u?.renderCounted(c,`turn`)??c}</span></p>`:e}
${d?u?.renderAnswerText(d):e}
</div>
${o(t.sectionsWhileWaiting,s,n.jumps.links)}
${d?r`<div class="sources">${u?.renderAnswerSources(d)}</div>`:e}
</div>`}var y=e=>r`<h3 class="asked" dir="auto">${e}</h3>`;function b({chapter:n,prefersChapter:i,preferChapter:a}){if(!n)return e;let{chapter_title:o}=n;return r`<div class="chapter">
${o?r`<span class="badge">${t.chapter(o)}</span>`:e}
<label class="choice">
<input
type="checkbox"
role="switch"
.checked=${i}
@change=${e=>a(e.target.checked)}
/>
<span>${t.preferChapter}</span>
</label>
</div>`}function x(e,n){return r`<div class="error">
<span>${n.exchange.view?.renderCounted(e,`retry`)??e}</span>
<button type="button" @click=${n.retry}>${t.retry}</button>
</div>`}function S(e){return r`<button class="wide" type="button" @click=${()=>e.askWholeBook()}>${t.askWholeBook}</button>`}function C(n){return n.suggestions.length===0?e:r`<h3>${t.suggestions}</h3>
${n.suggestions.map(e=>r`<button class="suggestion" type="button" @click=${()=>n.askAgain(e)}>${e}</button>`)}`}function w(e){try{let t=JSON.parse(e);return Array.isArray(t)?t.filter(e=>typeof e==`string`):[]}catch{return[]}}export{w as readSuggestions,h as renderPanel};