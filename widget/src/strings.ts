import { type Strings, english } from "./strings-en";

export type { Strings };

export let strings: Strings = english;

/** Whether the page is in German; any other language but English has no strings, and gets English ones. */
export let isGerman = false;

/** Changes to the page's language where there are strings for it; English otherwise. */
export async function useLanguage(language: string): Promise<void> {
  isGerman = /^de\b/i.test(language);
  strings = isGerman ? (await import("./strings-de")).german : english;
}

/** The language of the page, which the book's own words have; "" where it does not say. */
export const pageLanguage = () => document.documentElement.lang;

/** What a mode answers from, as the reader chooses it. */
export function modeName(mode: string): string {
  if (mode === "highlight") return strings.modeHighlight;
  return mode === "selected-text" ? strings.modeSelection : strings.modeBook;
}
