import type { HighlightRequest, Mode, PageRef, SectionLink } from "./api-types";
import type { ChapterContext } from "./chapter";

/** What the reader asks, complete enough to be asked again. */
export interface Asking {
  question: string;
  mode: Mode;
  selectedText: string;
  sessionId: string;
  page: PageRef;
  /** The chapter to prefer; null when unknown, or when the reader does not want that. */
  chapter: ChapterContext | null;
  /** The passage of the mode `highlight`. */
  highlight: HighlightRequest | null;
}

/** What the panel is told while the answer is on its way. */
export interface AskingSteps {
  showSections(sections: SectionLink[]): void;
  showProgress(sentence: string): void;
}

const LONGEST_QUESTION = 1000;

/** How many characters more a question may have; below 0, how many it has too many. */
export const charactersLeft = (question: string) => LONGEST_QUESTION - [...question].length;
