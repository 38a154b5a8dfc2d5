import type { PanelStrings } from "./panel-strings-en";
import { type Strings, english } from "./strings-en";

export let strings: Strings = english;
/** There once `loadPanelStrings` is done. */
export let panelStrings: PanelStrings;

/** Any other language but English has no strings, and gets English ones. */
let isGerman = false;

/** Changes to the page's language where there are strings for it and they can be had; English otherwise. */
export async function useLanguage(language: string): Promise<void> {
  isGerman = /^de\b/i.test(language);
  const found = isGerman ? await import("./strings-de").catch(() => null) : null;
  isGerman = found !== null;
  strings = found?.german ?? english;
  if (panelStrings) await loadPanelStrings();
}

/** Loads the words of the panel and of answers in the language in use. */
export async function loadPanelStrings(): Promise<void> {
  ({ panelStrings } = await (isGerman ? import("./panel-strings-de") : import("./panel-strings-en")));
}

/** The language of the page, which the book's own words have; "" where it does not say. */
export const pageLanguage = () => document.documentElement.lang;

/** What a mode answers from, as the reader chooses it. */
export function modeName(mode: string): string {
  if (mode === "highlight") return panelStrings.modeHighlight;
  return mode === "selected-text" ? panelStrings.modeSelection : panelStrings.modeBook;
}
