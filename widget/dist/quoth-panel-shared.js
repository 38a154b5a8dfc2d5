
import{_ as e,u as t,v as n}from"./quoth-shared.js";function r(r,i,a){return i.length===0?e:n`<h3>${r}</h3>
<ul class="sections" lang=${t()}>
${i.map(t=>{let r=a.acceptLink(t.url);return n`<li>
${r?n`<a href=${r} @click=${e=>a.goToSection(t.url,e)}>${t.title}</a>`:t.title}
${t.text?n`<blockquote class="small">${t.text}</blockquote>`:e}
</li>`})}
</ul>`}export{r as t};