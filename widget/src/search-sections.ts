import { html, nothing, type ReactiveControllerHost, type TemplateResult } from "lit";
import type { QuothApi } from "./api";
import type { SectionLink } from "./api-types";
import { pageLanguage, panelStrings } from "./strings";

/** In ms: the typing must rest for so long. */
const RESTS = 200;
const SHORTEST = 2;
const MOST = 6;

/** The book's sections for what is being typed: the list of the question's combobox. */
export class SectionSearch {
  private found: SectionLink[] = [];
  private active = -1;
  private timer = 0;
  private running = new AbortController();

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly announce: (sentence: string) => void,
    private readonly go: (url: string, event: Event) => void,
  ) {}

  get isOpen(): boolean {
    return this.found.length > 0;
  }

  /** The id of the option that the arrow keys have reached. */
  get activeId(): string | typeof nothing {
    return this.active < 0 ? nothing : `found-${this.active}`;
  }

  /** Looks for what is typed as soon as the typing rests. */
  type(text: string, api: QuothApi): void {
    clearTimeout(this.timer);
    this.running.abort();
    this.active = -1; // what was found before is not what is asked for now
    const words = text.trim();
    if (words.length < SHORTEST) return this.close();
    const running = (this.running = new AbortController());
    this.timer = window.setTimeout(() => {
      api.searchSections(words, running.signal).then(
        (sections) => !running.signal.aborted && this.show(sections.slice(0, MOST)),
        () => !running.signal.aborted && this.close(), // asking still works, and tells what is wrong
      );
    }, RESTS);
  }

  close(): void {
    clearTimeout(this.timer);
    this.running.abort();
    if (this.isOpen) this.show([]);
  }

  /** Takes the keys of an open list; tells whether it took this one. */
  press(event: KeyboardEvent): boolean {
    if (!this.isOpen || event.isComposing) return false;
    const { length } = this.found;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    const chosen = this.found[this.active];
    if (step) this.active = ((this.active + step + 1 + length + 1) % (length + 1)) - 1;
    else if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && chosen) this.choose(chosen, event);
    else return false;
    event.preventDefault();
    this.host.requestUpdate();
    return true;
  }

  render(): TemplateResult | typeof nothing {
    if (!this.isOpen) return nothing;
    return html`<ul id="found" class="found" role="listbox" aria-label=${panelStrings.sections} lang=${pageLanguage()}>
      ${this.found.map(
        (section, at) =>
          html`<li
            id="found-${at}"
            role="option"
            aria-selected=${at === this.active}
            @mousedown=${(event: Event) => event.preventDefault()}
            @click=${(event: Event) => this.choose(section, event)}
          >
            ${section.title}
          </li>`,
      )}
    </ul>`;
  }

  private show(sections: SectionLink[]): void {
    this.found = sections;
    this.active = -1;
    if (sections.length > 0) this.announce(panelStrings.sectionsFound(sections.length));
    this.host.requestUpdate();
  }

  private choose({ url }: SectionLink, event: Event): void {
    this.close();
    this.go(url, event);
  }
}
