
import{_ as e,d as t,f as n,l as r,n as i,r as a,u as o,v as s}from"./quoth-shared.js";import{t as c}from"./quoth-panel-shared.js";var l=320,u=20,d=()=>Math.max(l,Math.round(innerWidth/2));function f(e,n){let r=()=>getComputedStyle(document.documentElement).direction===`rtl`,i=e=>n(Math.min(d(),Math.max(l,Math.round(e))));return s`<div class="edge" role="separator" tabindex="0" aria-orientation="vertical"
aria-label=${t.width} aria-valuenow=${e} aria-valuemin=${l} aria-valuemax=${d()}
@pointerdown=${e=>e.target.setPointerCapture(e.pointerId)} @pointermove=${e=>{e.target.hasPointerCapture(e.pointerId)&&i(r()?e.clientX:innerWidth-e.clientX)}} @keydown=${({key:t})=>{let n=t===(r()?`ArrowRight`:`ArrowLeft`);(n||t===`ArrowLeft`||t===`ArrowRight`)&&i(e+(n?u:-20))}}></div>`}function p(n,i){let{question:o,search:c}=n,l=a(o),u=l<0?t.tooLong(-l):n.problem;return s`<form part="form" novalidate @submit=${e=>{e.preventDefault(),n.submit()}}>
${n.mode===`book-wide`?e:h(n)}
<details class="modes" ?open=${n.selectedText!==``}>
<summary class="small">${t.activeMode(r(n.mode))}</summary>
${m(n)} ${n.mode===`book-wide`?i:e}
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
</form>`}function m(n){let r=(e,t,r)=>s`<label class="choice ${r?`off`:``}">
<input
type="radio"
name="mode"
value=${e}
?disabled=${r}
.checked=${n.mode===e}
@change=${()=>n.chooseMode(e)}
/>
<span>${t}</span>
</label>`;return s`<fieldset class="row">
<legend class="sr">${t.modeLabel}</legend>
${r(`selected-text`,t.modeSelection,n.selectedText===``)}
${n.selectedText&&n.hasSource?r(`highlight`,t.modeHighlight,!1):e}
${r(`book-wide`,t.modeBook,!1)}
${n.selectedText?e:s`<p class="small">${t.modeSelectionHint}</p>`}
</fieldset>`}function h(r){return s`<figure class="selection" aria-label=${n.selectionLabel}>
<blockquote tabindex="0" class="held" lang=${o()}>${r.parts.map(({text:e,cited:t})=>t?s`<mark>${e}</mark>`:e)}</blockquote>
<figcaption class="small">${n.selectionLabel}, ${t.words(i(r.selectedText))}</figcaption>
${r.truncated?s`<p class="notice">${t.selectionTruncated}</p>`:e}
${r.tooShort?s`<p class="notice">${t.selectionTooShort(r.minWords)}</p>`:e}
</figure>`}var g=200,_=2,v=6,y=class{host;announce;go;found=[];active=-1;timer=0;running=new AbortController;constructor(e,t,n){this.host=e,this.announce=t,this.go=n}get isOpen(){return this.found.length>0}get activeId(){return this.active<0?e:`found-${this.active}`}type(e,t){clearTimeout(this.timer),this.running.abort(),this.active=-1;let n=e.trim();if(n.length<_)return this.close();let r=this.running=new AbortController;this.timer=window.setTimeout(()=>{t.searchSections(n,r.signal).then(e=>!r.signal.aborted&&this.show(e.slice(0,v)),()=>!r.signal.aborted&&this.close())},g)}close(){clearTimeout(this.timer),this.running.abort(),this.isOpen&&this.show([])}press(e){if(!this.isOpen||e.isComposing)return!1;let{length:t}=this.found,n={ArrowDown:1,ArrowUp:-1}[e.key],r=this.found[this.active];if(n)this.active=(this.active+n+1+t+1)%(t+1)-1;else if(e.key===`Escape`)this.close();else if(e.key===`Enter`&&r)this.choose(r,e);else return!1;return e.preventDefault(),this.host.requestUpdate(),!0}render(){return this.isOpen?s`<ul id="found" class="found" role="listbox" aria-label=${t.sections} lang=${o()}>
${this.found.map((e,t)=>s`<li
id="found-${t}"
role="option"
aria-selected=${t===this.active}
@mousedown=${e=>e.preventDefault()}
@click=${t=>this.choose(e,t)}
>
${e.title}
</li>`)}
</ul>`:e}show(e){this.found=e,this.active=-1,e.length>0&&this.announce(t.sectionsFound(e.length)),this.host.requestUpdate()}choose({url:e},t){this.close(),this.go(e,t)}};function b(n){let{exchange:r,form:i}=n,{asked:a}=r;return s`<section class="panel ${a?`tall`:``}" part="panel" role="dialog" aria-labelledby="title">
${f(n.width,n.changeWidth)}
<div class="top">
<h2 id="title">${t.title}</h2>
${a?s`<button type="button" class="anew" @click=${n.startAnew}>${t.newConversation}</button>`:e}
<button type="button" aria-label=${t.close} @click=${n.close}>
<span aria-hidden="true">×</span>
</button>
</div>
<div class="body" role="group" tabindex="0" aria-label=${t.conversation}>
${n.modeNote?s`<p class="small mode-note">${n.modeNote}</p>`:e}
${r.earlier.map(e=>S(e,n))}
${C(n)}
${a||i.mode!==`book-wide`?e:O(n)}
</div>
${p(i,T(n))}
${i.tooShort?D(n):e}
</section>`}function x({asked:e,answer:t},n){return{...n,...n.jumps.links,answer:t,askWholeBook:()=>n.askWholeBook(e.question)}}function S(e,t){let{view:n}=t.exchange,r=x(e,t);return s`<div class="turn">
${w(e.asked.question)} ${n?.renderAnswerText(r)}
<div class="sources">${n?.renderAnswerSources(r)}</div>
</div>`}function C(n){let{asked:r,answer:i,sections:a,progress:o,failure:l,countdown:u,view:d}=n.exchange,f=r&&i&&x({asked:r,answer:i},n);return s`<div class="turn last">
${r?w(r.question):e}
<div role="alert">${l?E(l,n):e}</div>
<div role="status" aria-atomic="false">
${o?s`<p class="progress"><span>${u?.renderCounted(o,`turn`)??o}</span></p>`:e}
${f?d?.renderAnswerText(f):e}
</div>
${c(t.sectionsWhileWaiting,a,n.jumps.links)}
${f?s`<div class="sources">${d?.renderAnswerSources(f)}</div>`:e}
</div>`}var w=e=>s`<h3 class="asked" dir="auto">${e}</h3>`;function T({chapter:n,prefersChapter:r,preferChapter:i}){if(!n)return e;let{chapter_title:a}=n;return s`<div class="chapter">
${a?s`<span class="badge">${t.chapter(a)}</span>`:e}
<label class="choice">
<input
type="checkbox"
role="switch"
.checked=${r}
@change=${e=>i(e.target.checked)}
/>
<span>${t.preferChapter}</span>
</label>
</div>`}function E(e,n){return s`<div class="error">
<span>${n.exchange.countdown?.renderCounted(e,`retry`)??e}</span>
<button type="button" @click=${n.retry}>${t.retry}</button>
</div>`}function D(e){return s`<button class="wide" type="button" @click=${()=>e.askWholeBook()}>${t.askWholeBook}</button>`}function O(n){return n.suggestions.length===0?e:s`<h3>${t.suggestions}</h3>
${n.suggestions.map(e=>s`<button class="suggestion" type="button" @click=${()=>n.askAgain(e)}>${e}</button>`)}`}function k(e){try{let t=JSON.parse(e);return Array.isArray(t)?t.filter(e=>typeof e==`string`):[]}catch{return[]}}export{y as SectionSearch,k as readSuggestions,b as renderPanel};