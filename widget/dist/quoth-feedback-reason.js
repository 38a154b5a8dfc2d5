
import{f as e,y as t}from"./quoth-shared.js";function n(n,r){return t`<fieldset>
<legend class="label">${e.reasonLabel}</legend>
${Object.entries(e.reasons).map(([e,r])=>t`<label class="choice wide">
<input type="radio" name="reason" .checked=${n.reason===e} @change=${()=>n.reason=e} />
<span>${r}</span>
</label>`)}
</fieldset>
<label class="label" for="comment">${e.commentLabel}</label>
<div class="field">
<textarea
id="comment"
rows="2"
maxlength="2000"
.value=${n.comment}
@input=${e=>n.comment=e.target.value}
></textarea>
<button type="button" @click=${r}>${e.sendFeedback}</button>
</div>`}export{n as renderReason};