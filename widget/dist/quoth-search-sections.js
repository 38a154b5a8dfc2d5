/*! Contains Lit, Copyright 2017 Google LLC, SPDX-License-Identifier: BSD-3-Clause */
import{A as e,C as t,S as n,j as r}from"./quoth-shared.js";var i=200,a=2,o=6,s=class{host;announce;go;found=[];active=-1;timer=0;running=new AbortController;constructor(e,t,n){this.host=e,this.announce=t,this.go=n}get isOpen(){return this.found.length>0}get activeId(){return this.active<0?e:`found-${this.active}`}type(e,t){clearTimeout(this.timer),this.running.abort(),this.active=-1;let n=e.trim();if(n.length<a)return this.close();let r=this.running=new AbortController;this.timer=window.setTimeout(()=>{t.searchSections(n,r.signal).then(e=>!r.signal.aborted&&this.show(e.slice(0,o)),()=>!r.signal.aborted&&this.close())},i)}close(){clearTimeout(this.timer),this.running.abort(),this.isOpen&&this.show([])}press(e){if(!this.isOpen||e.isComposing)return!1;let{length:t}=this.found,n={ArrowDown:1,ArrowUp:-1}[e.key],r=this.found[this.active];if(n)this.active=(this.active+n+1+t+1)%(t+1)-1;else if(e.key===`Escape`)this.close();else if(e.key===`Enter`&&r)this.choose(r,e);else return!1;return e.preventDefault(),this.host.requestUpdate(),!0}render(){return this.isOpen?r`<ul id="found" class="found" role="listbox" aria-label=${t.sections} lang=${n()}>
      ${this.found.map((e,t)=>r`<li
            id="found-${t}"
            role="option"
            aria-selected=${t===this.active}
            @mousedown=${e=>e.preventDefault()}
            @click=${t=>this.choose(e,t)}
          >
            ${e.title}
          </li>`)}
    </ul>`:e}show(e){this.found=e,this.active=-1,e.length>0&&this.announce(t.sectionsFound(e.length)),this.host.requestUpdate()}choose({url:e},t){this.close(),this.go(e,t)}};export{s as SectionSearch};