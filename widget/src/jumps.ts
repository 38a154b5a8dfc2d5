import type { Citation, Quote, TextQuote } from "./api-types";
import { acceptUrl, isSamePage } from "./links";
import { allQuotes, type Answer } from "./read-answer";
import type { Shown } from "./place";
import { type Place, storePlace, takeStoredPlace } from "./stored-place";
import { strings } from "./strings";

/** In ms. A page may build its text by script after it has loaded. */
const LOOK_EVERY = 150;
const LOOK_FOR = 6_000;

function sentenceFor(shown: Shown): string {
  if (shown === "nowhere") return strings.shownNowhere;
  return `${shown === "quote" ? strings.shownQuote : strings.shownSection} ${strings.wayBack}`;
}

function hasWords({ quotes }: Place): boolean {
  return quotes.some(({ exact }) => exact);
}

/** What goes with `quoth-navigate`. A router that takes over may say when its page is there. */
export interface Navigation {
  url: string;
  /** The first of `quotes`. */
  quote: TextQuote | null;
  quotes: TextQuote[];
  samePage: boolean;
  arrived?: Promise<unknown>;
}

/** Leads from links in the panel to places of the book, in this page or another. */
export class Jumps {
  /** The one that was followed last. */
  link: HTMLElement | null = null;
  private timer = 0;
  private answer: Answer | null = null;
  private places: typeof import("./answer-view") | null = null;

  constructor(
    private readonly widget: HTMLElement,
    private readonly tellShown: (sentence: string, rightEdge: number) => void,
    private readonly follow: () => void,
  ) {}

  /** What the panel's links do. */
  readonly links = {
    acceptLink: (url: string): string | null => acceptUrl(url, location.href),
    goToSection: (url: string, event: Event): void => this.go(url, [], event),
    goToCitation: (citation: Citation, quotes: Quote[], event: Event): void => {
      const url = citation.url ?? (citation.kind === "selection" ? location.href : null);
      if (url) this.go(url, quotes, event);
    },
  };

  /** Marks lightly what an answer quotes of this page; without one, nothing is marked. */
  markAnswer(answer: Answer | null): void {
    if (answer === this.answer) return;
    this.answer = answer;
    if (!answer) return this.places?.clearHighlight();
    const mark = () => void this.find((places) => places.markQuoted(this.quotedHere()));
    if (document.readyState === "complete") mark();
    else window.addEventListener("load", mark, { once: true });
  }

  private quotedHere(): Place[] {
    const places = (this.answer?.citations ?? []).map((citation) => ({
      url: acceptUrl(citation.url ?? location.href, location.href) ?? "",
      quotes: allQuotes(citation),
    }));
    return places.filter(({ url }) => url && isSamePage(url, location.href));
  }

  /** Shows the place that the page before left for this one. */
  resume(): void {
    const place = takeStoredPlace();
    if (place) this.waitForPlace(place);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private go(raw: string, quotes: Quote[], event: Event): void {
    const opensElsewhere =
      event instanceof MouseEvent && (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    const url = acceptUrl(raw, location.href);
    if (!url || opensElsewhere) return;
    event.preventDefault();
    this.link = event.currentTarget as HTMLElement | null;
    this.follow();
    this.places?.clearHighlight(); // what was looked for before is no longer pointed at
    const samePage = isSamePage(url, location.href);
    const place = { url, quotes };
    const detail: Navigation = { url, quote: quotes[0] ?? null, quotes, samePage };
    const init = { detail, bubbles: true, composed: true, cancelable: true };
    const free = this.widget.dispatchEvent(new CustomEvent("quoth-navigate", init));
    if (samePage) {
      if (free) this.showHere(place);
      return;
    }
    if (free) {
      storePlace(place);
      location.assign(url);
      return;
    }
    // The page's own router changes the text under us.
    const late = new Promise((resolve) => setTimeout(resolve, LOOK_FOR));
    void Promise.race([detail.arrived, late]).then(() => this.waitForPlace(place));
  }

  private showHere(place: Place): void {
    const { hash } = new URL(place.url);
    if (hash && hash !== location.hash) history.pushState(history.state, "", hash);
    void this.find((places) => places.showPlace(place, this.quotedHere())).then(({ shown, rightEdge }) => {
      const sectionOnly = !hasWords(place) && shown === "section";
      this.tellShown(sectionOnly ? "" : sentenceFor(shown), rightEdge);
    });
  }

  private waitForPlace(place: Place): void {
    clearTimeout(this.timer);
    const end = Date.now() + LOOK_FOR;
    const look = async () => {
      const here = document.readyState === "complete" && isSamePage(place.url, location.href);
      const late = Date.now() > end;
      if (here && (late || (await this.isThere(place)))) return this.showHere(place);
      if (!late) this.timer = window.setTimeout(look, LOOK_EVERY);
    };
    void look();
  }

  private isThere(place: Place): Promise<boolean> {
    return this.find(({ findPlace }) => {
      const { covered, heading } = findPlace(place);
      return hasWords(place) ? covered.length > 0 : heading !== null;
    });
  }

  /** Finding places is loaded with the first answer. */
  private async find<T>(use: (places: typeof import("./answer-view")) => T): Promise<Awaited<T>> {
    this.places ??= await import("./answer-view");
    return await use(this.places);
  }
}
