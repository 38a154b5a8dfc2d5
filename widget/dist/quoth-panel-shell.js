
import{d as e,f as t,o as n,p as r,r as i,t as a,u as o,v as s,y as c}from"./quoth-shared.js";function l(e,n){let r=async e=>{await n(``),n(await e(await import(`./quoth-copy-citation.js`))?t.copied:t.notCopied)};return{copyCitation:(t,n)=>r(({copyCitation:r})=>r(t,n,e)),copyCode:e=>r(({copyText:t})=>t(e))}}var u=20,d=()=>Math.max(320,Math.round(innerWidth/2));function f(e,n){let r=()=>getComputedStyle(document.documentElement).direction===`rtl`,i=e=>n(Math.min(d(),Math.max(320,Math.round(e))));return c`<div class="edge" role="separator" tabindex="0" aria-orientation="vertical"
aria-label=${t.width} aria-valuenow=${e} aria-valuemin=${320} aria-valuemax=${d()}
@pointerdown=${e=>e.target.setPointerCapture(e.pointerId)} @pointermove=${e=>{e.target.hasPointerCapture(e.pointerId)&&i(r()?e.clientX:innerWidth-e.clientX)}} @keydown=${({key:t})=>{let n=t===(r()?`ArrowRight`:`ArrowLeft`);(n||t===`ArrowLeft`||t===`ArrowRight`)&&i(e+(n?u:-20))}}></div>`}function p(e){let{form:n,selection:r}=e,{mode:a,question:l,search:u}=n,d=i(l),f=d<0?t.tooLong(-d):n.problem;return c`<form part="form" novalidate @submit=${e=>{e.preventDefault(),n.submit()}}>
<details class="modes" ?open=${r.text!==``&&!e.isAsked}>
<summary class="small">${t.activeMode(o(a))}</summary>
${a===`book-wide`?s:h(e)} ${m(e)}
${a===`book-wide`?e.chapter:s}
</details>
${a!==`book-wide`&&r.truncated?c`<p class="notice">${t.selectionTruncated}</p>`:s}
${n.tooShort?c`<p class="notice">${t.selectionTooShort(e.minWords)}</p>`:s}
${u?.render()}
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
aria-expanded=${u?.isOpen?`true`:`false`}
aria-controls=${u?.isOpen?`found`:s}
aria-activedescendant=${u?.activeId??s}
aria-describedby="count problem"
aria-invalid=${f?`true`:`false`}
.value=${l}
@input=${e=>n.type(e.target.value)}
@keydown=${e=>u?.press(e)}
@blur=${()=>u?.close()}
/>
<button class="primary" type="submit">${t.submit}</button>
</div>
<p id="count" class="small" ?hidden=${!l||d<0}>${t.charactersLeft(d)}</p>
<p id="problem" class="problem" ?hidden=${!f}>${f}</p>
</form>`}function m({form:e,selection:n,hasSource:r}){let i=(t,n,r)=>c`<label class="choice ${r?`off`:``}">
<input
type="radio"
name="mode"
value=${t}
?disabled=${r}
.checked=${e.mode===t}
@change=${()=>e.set({mode:t})}
/>
<span>${n}</span>
</label>`;return c`<fieldset class="row">
<legend class="sr">${t.modeLabel}</legend>
${i(`selected-text`,t.modeSelection,n.text===``)}
${n.text&&r?i(`highlight`,t.modeHighlight,!1):s}
${i(`book-wide`,t.modeBook,!1)}
${n.text?s:c`<p class="small">${t.modeSelectionHint}</p>`}
</fieldset>`}function h({selection:i,parts:a}){return c`<figure class="selection" aria-label=${r.selectionLabel}>
<blockquote tabindex="0" class="held" lang=${e()}>${a.map(({text:e,cited:t})=>t?c`<mark>${e}</mark>`:e)}</blockquote>
<figcaption class="small">${r.selectionLabel}, ${t.words(n(i.text))}</figcaption>
</figure>`}var g=200,_=2,v=6,y=class{host;announce;go;found=[];active=-1;timer=0;running=new AbortController;constructor(e,t,n){this.host=e,this.announce=t,this.go=n}get isOpen(){return this.found.length>0}get activeId(){return this.active<0?s:`found-${this.active}`}type(e,t){clearTimeout(this.timer),this.running.abort(),this.active=-1;let n=e.trim();if(n.length<_)return this.close();let r=this.running=new AbortController;this.timer=window.setTimeout(()=>{t.searchSections(n,r.signal).then(e=>!r.signal.aborted&&this.show(e.slice(0,v)),()=>!r.signal.aborted&&this.close())},g)}close(){clearTimeout(this.timer),this.running.abort(),this.isOpen&&this.show([])}press(e){if(!this.isOpen||e.isComposing)return!1;let{length:t}=this.found,n={ArrowDown:1,ArrowUp:-1}[e.key],r=this.found[this.active];if(n)this.active=(this.active+n+1+t+1)%(t+1)-1;else if(e.key===`Escape`)this.close();else if(e.key===`Enter`&&r)this.choose(r,e);else return!1;return e.preventDefault(),this.host.requestUpdate(),!0}render(){return this.isOpen?c`<ul id="found" class="found" role="listbox" aria-label=${t.sections} lang=${e()}>
${this.found.map((e,t)=>c`<li
id="found-${t}"
role="option"
aria-selected=${t===this.active}
@mousedown=${e=>e.preventDefault()}
@click=${t=>this.choose(e,t)}
>
${e.title}
</li>`)}
</ul>`:s}show(e){this.found=e,this.active=-1,e.length>0&&this.announce(t.sectionsFound(e.length)),this.host.requestUpdate()}choose({url:e},t){this.close(),this.go(e,t)}};function b(e){let{exchange:n,form:r}=e,{asked:i}=n;return c`<section class="panel ${i?`tall`:``} ${e.docked?`beside`:``}" part="panel" role="dialog" aria-labelledby="title">
${e.docked?f(e.docked,e.changeWidth):s}
<div class="top">
<h2 id="title">${t.title}</h2>
${i?c`<button type="button" class="anew" @click=${e.startAnew}>${t.newConversation}</button>`:s}
<button type="button" aria-label=${t.close} @click=${e.close}>
<span aria-hidden="true">×</span>
</button>
</div>
<div class="body" role="group" tabindex="0" aria-label=${t.conversation}>
${e.modeNote?c`<p class="small mode-note">${e.modeNote}</p>`:s}
${n.earlier.map(t=>C(t,e))}
${w(e)}
${i||r.mode!==`book-wide`?s:k(e)}
</div>
${p({...e,...x(e),chapter:E(e)})}
${r.tooShort?O(e):s}
</section>`}function x({exchange:e,selection:{text:t}}){let{asked:n,answer:r,view:i}=e,a=n?.selectedText===t;return{isAsked:a,parts:a&&r&&i?i.splitAtQuotes(t,r.citations):[{text:t,cited:!1}]}}function S({asked:e,answer:t},n){let{form:r,jumps:i,sendFeedback:a}=n;return{askAgain:r.askAgain,askWholeBook:()=>r.askWholeBook(e.question),sendFeedback:a,...l(n.bookTitle,n.announce),...i.links,answer:t}}function C(e,t){let{view:n}=t.exchange,r=S(e,t);return c`<div class="turn">
${T(e.asked.question)} ${n?.renderAnswerText(r)}
<div class="sources">${n?.renderAnswerSources(r)}</div>
</div>`}function w(e){let{asked:n,answer:r,sections:i,progress:o,failure:l,countdown:u,view:d}=e.exchange,f=n&&r&&S({asked:n,answer:r},e);return c`<div class="turn last">
${n?T(n.question):s}
<div role="alert">${l?D(l,e):s}</div>
<div role="status" aria-atomic="false">
${o?c`<p class="progress"><span>${u?.renderCounted(o,`turn`)??o}</span></p>`:s}
${f?d?.renderAnswerText(f):s}
</div>
${a(t.sectionsWhileWaiting,i,e.jumps.links)}
${f?c`<div class="sources">${d?.renderAnswerSources(f)}</div>`:s}
</div>`}var T=e=>c`<h3 class="asked" dir="auto">${e}</h3>`;function E({chapter:e,form:n}){if(!e)return s;let{chapter_title:r}=e;return c`<div class="chapter">
${r?c`<span class="badge">${t.chapter(r)}</span>`:s}
<label class="choice">
<input
type="checkbox"
role="switch"
.checked=${n.prefersChapter}
@change=${e=>n.set({prefersChapter:e.target.checked})}
/>
<span>${t.preferChapter}</span>
</label>
</div>`}function D(e,n){return c`<div class="error">
<span>${n.exchange.countdown?.renderCounted(e,`retry`)??e}</span>
<button type="button" @click=${n.form.retry}>${t.retry}</button>
</div>`}function O(e){return c`<button class="wide" type="button" @click=${()=>e.form.askWholeBook()}>${t.askWholeBook}</button>`}function k(e){return e.suggestions.length===0?s:c`<h3>${t.suggestions}</h3>
${e.suggestions.map(t=>c`<button class="suggestion" type="button" @click=${()=>e.form.askAgain(t)}>${t}</button>`)}`}export{y as SectionSearch,b as renderPanel};