import type { HighlightRequest, Mode, PageRef } from "./api-types";
import type { Asking } from "./question";
import { type ChapterContext, detectChapter } from "./chapter";
import { readSessionId } from "./session";

/** Blocks taken on each side of the passage in the mode `highlight`. */
const AROUND = 2;
const LONGEST_PREFIX = 120;

/** What the page says of itself through the widget's attributes. */
export interface PageFacts {
  pageSource: string;
  pageVersion: string;
  pageLocale: string;
  chapterId: string;
  chapterTitle: string;
}

export interface Held {
  selectedText: string;
  prefix: string;
}

/** Everything one question takes with it. */
export function composeAsking(
  question: string,
  mode: Mode,
  held: Held,
  facts: PageFacts,
  chapter: ChapterContext | null,
): Asking {
  const page = pageOf(mode === "selected-text" ? { ...facts, pageSource: "" } : facts);
  const highlight = mode === "highlight" ? composeHighlight(held, facts) : null;
  return { question, mode, selectedText: held.selectedText, sessionId: readSessionId(), page, chapter, highlight };
}

/** The page as the API names it. */
export function pageOf(facts: PageFacts): PageRef {
  return {
    ...(facts.pageSource ? { source_path: facts.pageSource } : { permalink: location.pathname }),
    ...(facts.pageVersion && { version: facts.pageVersion }),
    ...(facts.pageLocale && { locale: facts.pageLocale }),
  };
}

function composeHighlight({ selectedText, prefix }: Held, facts: PageFacts): HighlightRequest {
  return {
    text: selectedText,
    prefix: prefix.slice(-LONGEST_PREFIX),
    source_path: facts.pageSource,
    version: facts.pageVersion,
    locale: facts.pageLocale,
    around: AROUND,
  };
}

/** The chapter of the page as it stands now. */
export function readChapter(facts: PageFacts): ChapterContext | null {
  return detectChapter({
    id: facts.chapterId,
    title: facts.chapterTitle,
    sourcePath: facts.pageSource,
    pathname: location.pathname,
    heading: (document.querySelector("main h1, article h1") ?? document.querySelector("h1"))?.textContent ?? "",
  });
}
