/**
 * Every sentence and label the reader sees, in English; those of an answer are in
 * `answer-strings-en.ts`. `strings-de.ts` and `answer-strings-de.ts` have them in German.
 */
export const english = {
  lang: "en",
  launcher: "Ask the book",
  title: "Ask the book",
  close: "Close",
  newConversation: "New conversation",
  conversation: "Conversation",
  back: "Back to the answer",
  width: "Width of the panel",
  questionLabel: "Your question",
  questionPlaceholder: "What would you like to know?",
  submit: "Ask",
  emptyQuestion: "Please type a question.",
  charactersLeft: (n: number) => (n === 1 ? "1 character left" : `${n.toLocaleString("en")} characters left`),
  tooLong: (n: number) => `${n.toLocaleString("en")} characters too many: a question has at most 1,000.`,
  sections: "Sections of the book",
  sectionsFound: (n: number) => (n === 1 ? "1 section" : `${n} sections`),
  suggestions: "You could ask",

  modeLabel: "Answer from",
  modeBook: "Whole book",
  modeSelection: "Only this text",
  modeHighlight: "This passage and around it",
  modeSelectionHint: "Select text in the page to ask about it alone.",
  activeMode: (mode: string) => `Answers from: ${mode}`,
  explain: "Explain",
  explainThis: "Explain this.",
  explainWords: (words: string) => `Explain ${words}`,
  summarise: "Summarise",
  summariseThis: "Summarise this.",
  selectionButton: "Ask about this",
  selectionHint: "Text selected. Press Alt+Q to ask about it.",
  selectionLabel: "Selected text",
  words: (n: number) => (n === 1 ? "1 word" : `${n.toLocaleString("en")} words`),
  selectionTooShort: (minimum: number) =>
    `Please select at least ${minimum} words for more accurate answers, or switch to Book-Wide mode to search entire book.`,
  selectionTruncated: "⚠️ Selected text is long; truncated to 2000 tokens.",
  askWholeBook: "Ask the whole book",

  searching: "Looking in the book…",
  readingSelection: "Reading the selected text…",
  writing: "Sections found. Checking an answer…",
  queued: (position: number, etaS: number) =>
    `High traffic detected. Your question is queued (position ${position}, ~${etaS} seconds).`,
  kept: "Your question is kept: the answer will appear here, also when you read on.",
  sectionsWhileWaiting: "Sections that match",
  answerReady: "Your answer is here",
  retry: "Retry",
  unavailable: "AI assistant is temporarily unavailable. Please try again in a few moments.",
  unreachable: "The book could not be reached. Check your connection and try again.",
  expectedWait: "This is taking too long. Please try again.",

  chapter: (title: string) => (/^chapter\b/i.test(title) ? title : `Chapter: ${title}`),
  preferChapter: "Prefer this chapter",

  copied: "Copied.",
  notCopied: "Copying is not allowed here.",

  shownQuote: "The quote is highlighted in the page.",
  shownSection: "The quote could not be found word for word; this is its section.",
  shownNowhere: "The quote could not be found in this page.",
};

export type Strings = typeof english;
