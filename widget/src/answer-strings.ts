import { isGerman } from "./strings";

const english = {
  kept: "Your question is kept: the answer will appear here, also when you read on.",
  waited: { turn: "Your turn comes any moment now.", retry: "You can ask again now." },
  youAsked: "You asked",
  partial: "This answers part of your question.",
  quoteMode: "Quote mode: this answer is made of the book's own sentences.",
  verification: { verbatim: "Verbatim", supported: "Supported" },
  verificationMeaning: {
    verbatim: "Verbatim: the book's own words.",
    supported: "Supported: reworded, and checked against the cited sentences.",
  },
  citations: "Citations",
  citationName: (n: number, label: string) => `Citation ${n}: ${label}`,
  relevance: (percent: number) => `Relevance ${percent} %`,
  selectionCitation: "From your selection",
  closest: "Closest sections",
  related: "Related sections",
  clarify: "Did you mean",
  selectionVerified: "The selection was found in the book.",
  copyAs: "Copy",
  copyApa: "APA",
  copyBibtex: "BibTeX",
  copyLink: "Link to the quote",
  copyName: (what: string, n: number) => `Copy citation ${n}: ${what}`,
  feedback: "Was this helpful?",
  helpful: "Yes",
  notHelpful: "No",
  reasonLabel: "What was wrong?",
  reasons: {
    wrong: "It is wrong",
    incomplete: "Something is missing",
    off_topic: "It answers another question",
    refused: "The book does say it",
    other: "Something else",
  },
  commentLabel: "Comment (optional)",
  sendFeedback: "Send",
  thanks: "Thank you.",
};

export type AnswerStrings = typeof english;

let current: AnswerStrings = english;

/** The words around an answer, in the page's language. They come with the first answer. */
export function answerStrings(): AnswerStrings {
  return current;
}

/** Changes to the panel's language; to English where its file cannot be had. */
export async function useAnswerLanguage(): Promise<void> {
  const found = isGerman && (await import("./answer-strings-de").catch(() => null));
  current = found ? found.german : english;
}
