import type { Mode } from "./api-types";
import type { Asking } from "./question";
import { type Answer, fields, readAnswer } from "./read-answer";

/** What goes from one page of a site to the next, where each page loads anew. */
export interface Conversation {
  asked: Asking;
  answer: Answer;
  isOpen: boolean;
  mode: Mode;
  question: string;
  selectedText: string;
}

/** Reads what was stored; null when it is none. */
export function readConversation(stored: unknown): Conversation | null {
  const raw = fields(stored);
  const asked = fields(raw.asked);
  const answer = readAnswer(raw.answer);
  const texts = [raw.mode, raw.question, raw.selectedText, asked.question, asked.mode];
  if (!answer || !texts.every((text) => typeof text === "string")) return null;
  return { ...(raw as unknown as Conversation), answer, isOpen: raw.isOpen === true };
}
