import { isGerman } from "./strings";
import { type AnswerStrings, english } from "./answer-strings-en";

export type { AnswerStrings };

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
