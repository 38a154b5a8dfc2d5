import type { Citation, Quote } from "./api-types";
import { acceptUrl, isSamePage } from "./links";
import { findPlace, type Place, type Shown, showPlace, storePlace, takeStoredPlace } from "./place";
import { strings } from "./strings";

/** In ms. A page may build its text by script after it has loaded. */
const LOOK_EVERY = 150;
const LOOK_FOR = 6_000;

const SENTENCES: Record<Shown, string> = {
  quote: strings.shownQuote,
  section: strings.shownSection,
  nowhere: strings.shownNowhere,
};

/** Leads from links in the panel to places of the book, in this page or another. */
export class Jumps {
  private timer = 0;

  constructor(
    private readonly widget: HTMLElement,
    private readonly tellShown: (sentence: string, rightEdge: number) => void,
  ) {}

  /** What the panel's links do. */
  readonly links = {
    acceptLink: (url: string): string | null => acceptUrl(url, location.href),
    goToSection: (url: string, event: Event): void => this.go(url, null, event),
    goToCitation: (citation: Citation, event: Event): void => {
      const url = citation.url ?? (citation.kind === "selection" ? location.href : null);
      if (url) this.go(url, citation.quote, event);
    },
  };

  /** Shows the place that the page before left for this one. */
  resume(): void {
    const place = takeStoredPlace();
    if (place) this.waitForPlace(place);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private go(raw: string, quote: Quote | null, event: Event): void {
    const opensElsewhere =
      event instanceof MouseEvent && (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    const url = acceptUrl(raw, location.href);
    if (!url || opensElsewhere) return;
    event.preventDefault();
    const samePage = isSamePage(url, location.href);
    const place = { url, quote: quote ?? { exact: "", prefix: "", suffix: "" } };
    const detail = { url, quote, samePage };
    const init = { detail, bubbles: true, composed: true, cancelable: true };
    const free = this.widget.dispatchEvent(new CustomEvent("quoth-navigate", init));
    if (samePage) {
      if (free) this.showHere(place);
      return;
    }
    if (free) {
      storePlace(place);
      location.assign(url);
    } else {
      this.waitForPlace(place); // the page's own router changes the text under us
    }
  }

  private showHere(place: Place): void {
    const { hash } = new URL(place.url);
    if (hash && hash !== location.hash) history.pushState(history.state, "", hash);
    const { shown, rightEdge } = showPlace(place);
    const sectionOnly = place.quote.exact === "" && shown === "section";
    this.tellShown(sectionOnly ? "" : SENTENCES[shown], rightEdge);
  }

  private waitForPlace(place: Place): void {
    clearTimeout(this.timer);
    const end = Date.now() + LOOK_FOR;
    const look = () => {
      const here = document.readyState === "complete" && isSamePage(place.url, location.href);
      const late = Date.now() > end;
      if (here && (late || this.isThere(place))) return this.showHere(place);
      if (!late) this.timer = window.setTimeout(look, LOOK_EVERY);
    };
    look();
  }

  private isThere(place: Place): boolean {
    const { range, heading } = findPlace(place);
    return place.quote.exact ? range !== null : heading !== null;
  }
}
