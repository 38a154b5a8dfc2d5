
import{_ as e,a as t,d as n,f as r,l as i,n as a,u as o,v as s}from"./quoth-shared.js";import{t as c}from"./quoth-panel-shared.js";function l(e,t){let r=async e=>{await t(``),t(await e(await import(`./quoth-copy-citation.js`))?n.copied:n.notCopied)};return{copyCitation:(t,n)=>r(({copyCitation:r})=>r(t,n,e)),copyCode:e=>r(({copyText:t})=>t(e))}}var u=20,d=()=>Math.max(320,Math.round(innerWidth/2));function f(e,t){let r=()=>getComputedStyle(document.documentElement).direction===`rtl`,i=e=>t(Math.min(d(),Math.max(320,Math.round(e))));return s`<div class="edge" role="separator" tabindex="0" aria-orientation="vertical"
aria-label=${n.width} aria-valuenow=${e} aria-valuemin=${320} aria-valuemax=${d()}
@pointerdown=${e=>e.target.setPointerCapture(e.pointerId)} @pointermove=${e=>{e.target.hasPointerCapture(e.pointerId)&&i(r()?e.clientX:innerWidth-e.clientX)}} @keydown=${({key:t})=>{let n=t===(r()?`ArrowRight`:`ArrowLeft`);(n||t===`ArrowLeft`||t===`ArrowRight`)&&i(e+(n?u:-20))}}></div>`}function p(t){let{form:r,selection:o}=t,{mode:c,question:l,search:u}=r,d=a(l),f=d<0?n.tooLong(-d):r.problem;return s`<form part="form" novalidate @submit=${e=>{e.preventDefault(),r.submit()}}>
<details class="modes" ?open=${o.text!==``&&!t.isAsked}>
<summary class="small">${n.activeMode(i(c))}</summary>
${c===`book-wide`?e:h(t)} ${m(t)}
${c===`book-wide`?t.chapter:e}
</details>
${c!==`book-wide`&&o.truncated?s`<p class="notice">${n.selectionTruncated}</p>`:e}
${r.tooShort?s`<p class="notice">${n.selectionTooShort(t.minWords)}</p>`:e}
${u?.render()}
<label class="label" for="question">${n.questionLabel}</label>
<div class="field">
<input
id="question"
type="text"
role="combobox"
autocomplete="off"
enterkeyhint="send"
placeholder=${n.questionPlaceholder}
aria-autocomplete="list"
aria-expanded=${u?.isOpen?`true`:`false`}
aria-controls=${u?.isOpen?`found`:e}
aria-activedescendant=${u?.activeId??e}
aria-describedby="count problem"
aria-invalid=${f?`true`:`false`}
.value=${l}
@input=${e=>r.type(e.target.value)}
@keydown=${e=>u?.press(e)}
@blur=${()=>u?.close()}
/>
<button class="primary" type="submit">${n.submit}</button>
</div>
<p id="count" class="small" ?hidden=${!l||d<0}>${n.charactersLeft(d)}</p>
<p id="problem" class="problem" ?hidden=${!f}>${f}</p>
</form>`}function m({form:t,selection:r,hasSource:i}){let a=(e,n,r)=>s`<label class="choice ${r?`off`:``}">
<input
type="radio"
name="mode"
value=${e}
?disabled=${r}
.checked=${t.mode===e}
@change=${()=>t.set({mode:e})}
/>
<span>${n}</span>
</label>`;return s`<fieldset class="row">
<legend class="sr">${n.modeLabel}</legend>
${a(`selected-text`,n.modeSelection,r.text===``)}
${r.text&&i?a(`highlight`,n.modeHighlight,!1):e}
${a(`book-wide`,n.modeBook,!1)}
${r.text?e:s`<p class="small">${n.modeSelectionHint}</p>`}
</fieldset>`}function h({selection:e,parts:i}){return s`<figure class="selection" aria-label=${r.selectionLabel}>
<blockquote tabindex="0" class="held" lang=${o()}>${i.map(({text:e,cited:t})=>t?s`<mark>${e}</mark>`:e)}</blockquote>
<figcaption class="small">${r.selectionLabel}, ${n.words(t(e.text))}</figcaption>
</figure>`}var g=200,_=2,v=6,y=class{host;announce;go;found=[];active=-1;timer=0;running=new AbortController;constructor(e,t,n){this.host=e,this.announce=t,this.go=n}get isOpen(){return this.found.length>0}get activeId(){return this.active<0?e:`found-${this.active}`}type(e,t){clearTimeout(this.timer),this.running.abort(),this.active=-1;let n=e.trim();if(n.length<_)return this.close();let r=this.running=new AbortController;this.timer=window.setTimeout(()=>{t.searchSections(n,r.signal).then(e=>!r.signal.aborted&&this.show(e.slice(0,v)),()=>!r.signal.aborted&&this.close())},g)}close(){clearTimeout(this.timer),this.running.abort(),this.isOpen&&this.show([])}press(e){if(!this.isOpen||e.isComposing)return!1;let{length:t}=this.found,n={ArrowDown:1,ArrowUp:-1}[e.key],r=this.found[this.active];if(n)this.active=(this.active+n+1+t+1)%(t+1)-1;else if(e.key===`Escape`)this.close();else if(e.key===`Enter`&&r)this.choose(r,e);else return!1;return e.preventDefault(),this.host.requestUpdate(),!0}render(){return this.isOpen?s`<ul id="found" class="found" role="listbox" aria-label=${n.sections} lang=${o()}>
${this.found.map((e,t)=>s`<li
id="found-${t}"
role="option"
aria-selected=${t===this.active}
@mousedown=${e=>e.preventDefault()}
@click=${t=>this.choose(e,t)}
>
${e.title}
</li>`)}
</ul>`:e}show(e){this.found=e,this.active=-1,e.length>0&&this.announce(n.sectionsFound(e.length)),this.host.requestUpdate()}choose({url:e},t){this.close(),this.go(e,t)}};function b(t){let{exchange:r,form:i}=t,{asked:a}=r;return s`<section class="panel ${a?`tall`:``} ${t.docked?`beside`:``}" part="panel" role="dialog" aria-labelledby="title">
${t.docked?f(t.docked,t.changeWidth):e}
<div class="top">
<h2 id="title">${n.title}</h2>
${a?s`<button type="button" class="anew" @click=${t.startAnew}>${n.newConversation}</button>`:e}
<button type="button" aria-label=${n.close} @click=${t.close}>
<span aria-hidden="true">×</span>
</button>
</div>
<div class="body" role="group" tabindex="0" aria-label=${n.conversation}>
${t.modeNote?s`<p class="small mode-note">${t.modeNote}</p>`:e}
${r.earlier.map(e=>C(e,t))}
${w(t)}
${a||i.mode!==`book-wide`?e:k(t)}
</div>
${p({...t,...x(t),chapter:E(t)})}
${i.tooShort?O(t):e}
</section>`}function x({exchange:e,selection:{text:t}}){let{asked:n,answer:r,view:i}=e,a=n?.selectedText===t;return{isAsked:a,parts:a&&r&&i?i.splitAtQuotes(t,r.citations):[{text:t,cited:!1}]}}function S({asked:e,answer:t},n){let{form:r,jumps:i,sendFeedback:a}=n;return{askAgain:r.askAgain,askWholeBook:()=>r.askWholeBook(e.question),sendFeedback:a,...l(n.bookTitle,n.announce),...i.links,answer:t}}function C(e,t){let{view:n}=t.exchange,r=S(e,t);return s`<div class="turn">
${T(e.asked.question)} ${n?.renderAnswerText(r)}
<div class="sources">${n?.renderAnswerSources(r)}</div>
</div>`}function w(t){let{asked:r,answer:i,sections:a,progress:o,failure:l,countdown:u,view:d}=t.exchange,f=r&&i&&S({asked:r,answer:i},t);return s`<div class="turn last">
${r?T(r.question):e}
<div role="alert">${l?D(l,t):e}</div>
<div role="status" aria-atomic="false">
${o?s`<p class="progress"><span>${u?.renderCounted(o,`turn`)??o}</span></p>`:e}
${f?d?.renderAnswerText(f):e}
</div>
${c(n.sectionsWhileWaiting,a,t.jumps.links)}
${f?s`<div class="sources">${d?.renderAnswerSources(f)}</div>`:e}
</div>`}var T=e=>s`<h3 class="asked" dir="auto">${e}</h3>`;function E({chapter:t,form:r}){if(!t)return e;let{chapter_title:i}=t;return s`<div class="chapter">
${i?s`<span class="badge">${n.chapter(i)}</span>`:e}
<label class="choice">
<input
type="checkbox"
role="switch"
.checked=${r.prefersChapter}
@change=${e=>r.set({prefersChapter:e.target.checked})}
/>
<span>${n.preferChapter}</span>
</label>
</div>`}function D(e,t){return s`<div class="error">
<span>${t.exchange.countdown?.renderCounted(e,`retry`)??e}</span>
<button type="button" @click=${t.form.retry}>${n.retry}</button>
</div>`}function O(e){return s`<button class="wide" type="button" @click=${()=>e.form.askWholeBook()}>${n.askWholeBook}</button>`}function k(t){return t.suggestions.length===0?e:s`<h3>${n.suggestions}</h3>
${t.suggestions.map(e=>s`<button class="suggestion" type="button" @click=${()=>t.form.askAgain(e)}>${e}</button>`)}`}export{y as SectionSearch,b as renderPanel};