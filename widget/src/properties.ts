/** The attributes of `<quoth-widget>`, and what it is drawn anew for. */
export const properties = {
  endpoint: {},
  pageSource: { attribute: "page-source" },
  pageVersion: { attribute: "page-version" },
  pageLocale: { attribute: "page-locale" },
  chapterId: { attribute: "chapter-id" },
  chapterTitle: { attribute: "chapter-title" },
  bookTitle: { attribute: "book-title" },
  language: {},
  modeNote: { attribute: "mode-note" },
  suggestions: {},
  minWords: { attribute: "min-words", type: Number },
  panel: { state: true },
  announcement: { state: true },
  width: { state: true },
  docked: { state: true },
};
