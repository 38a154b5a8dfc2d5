import { html, nothing, type TemplateResult } from "lit";
import type { SectionLink } from "./api-types";
import { pageLanguage } from "./strings";

export interface SectionsView {
  /** The address to link to, or null when the link must not be made. */
  acceptLink(url: string): string | null;
  goToSection(url: string, event: Event): void;
}

/** A titled list of links to sections, with a sentence of each where one is quoted; nothing when there is none. */
export function renderSections(
  title: string,
  sections: readonly SectionLink[],
  view: SectionsView,
): TemplateResult | typeof nothing {
  if (sections.length === 0) return nothing;
  return html`<h3>${title}</h3>
    <ul class="sections" lang=${pageLanguage()}>
      ${sections.map((section) => {
        const href = view.acceptLink(section.url);
        const go = (event: Event) => view.goToSection(section.url, event);
        return html`<li>
          ${href ? html`<a href=${href} @click=${go}>${section.title}</a>` : section.title}
          ${section.text ? html`<blockquote class="small">${section.text}</blockquote>` : nothing}
        </li>`;
      })}
    </ul>`;
}
