/**
 * What the reader sees in English before the panel is opened; its own words are in `panel-strings-en.ts`.
 * `strings-de.ts` and `panel-strings-de.ts` have both in German.
 */
export const english = {
  lang: "en",
  launcher: "Ask the book",
  back: "Back to the answer",
  explain: "Explain",
  explainThis: "Explain this.",
  explainWords: (words: string) => `Explain ${words}`,
  summarise: "Summarise",
  summariseThis: "Summarise this.",
  selectionButton: "Ask about this",
  selectionHint: "Text selected. Press Alt+Q to ask about it.",
  selectionLabel: "Selected text",
  answerReady: "Your answer is here",
  unavailable: "AI assistant is temporarily unavailable. Please try again in a few moments.",
  unreachable: "The book could not be reached. Check your connection and try again.",
  expectedWait: "This is taking too long. Please try again.",
  shownQuote: "The quote is highlighted in the page.",
  shownSection: "The quote could not be found word for word; this is its section.",
  wayBack: "Alt+Q goes back.",
  shownNowhere: "The quote could not be found in this page.",
};

export type Strings = typeof english;
