import type { Mode } from "./api-types";
import type { Asking } from "./question";
import { type Answer, fields, readAnswer } from "./read-answer";

/** A question and its answer. */
export interface Turn {
  asked: Asking;
  answer: Answer;
}

/** `bar`: slid down, so that the reader sees the page; a button brings it back. */
export type PanelState = "closed" | "open" | "bar";

/** What stays from page to page until the reader begins a new conversation. */
export interface Conversation {
  turns: Turn[];
  /** Asked, and left before there was an answer. */
  waiting: Asking | null;
  panel: PanelState;
  mode: Mode;
  question: string;
  selectedText: string;
  /** Of the panel beside the text, in px. */
  width: number;
  /** How far down the reader was, in px. */
  scroll: number;
}

const STORED = "quoth-conversation";

/** Keeps the conversation for the tab's next page; where it is too long, without its beginning. */
export function storeConversation(conversation: Conversation): void {
  for (let from = 0; from <= conversation.turns.length; from++) {
    try {
      sessionStorage.setItem(STORED, JSON.stringify({ ...conversation, turns: conversation.turns.slice(from) }));
      return;
    } catch {
      // Full; or switched off, and then the next page begins anew.
    }
  }
}

/** The conversation of the page before; null without one. */
export function readConversation(): Conversation | null {
  try {
    const raw = fields(JSON.parse(sessionStorage.getItem(STORED) ?? "null"));
    const texts = [raw.panel, raw.mode, raw.question, raw.selectedText];
    if (!Array.isArray(raw.turns) || !texts.every((text) => typeof text === "string")) return null;
    const turns = raw.turns.map(fields).flatMap(({ asked, answer }) => {
      const read = readAnswer(answer);
      return read && isAsking(asked) ? [{ asked, answer: read }] : [];
    });
    const waiting = isAsking(raw.waiting) ? raw.waiting : null;
    return { ...(raw as unknown as Conversation), turns, waiting };
  } catch {
    return null;
  }
}

function isAsking(value: unknown): value is Asking {
  const { question, mode, selectedText } = fields(value);
  return [question, mode, selectedText].every((text) => typeof text === "string");
}
