import type { ReactiveControllerHost } from "lit";
import type { QuothApi } from "./api";
import { type PageFacts, pageOf } from "./compose-question";

interface Host extends ReactiveControllerHost, PageFacts {
  /** The author's own questions, a JSON list; "" without. */
  suggestions: string;
  connectApi(): QuothApi;
}

/** Questions for a page on which nothing was asked yet: the author's, else those the book answers. */
export class Suggestions {
  /** null before the book was asked for some. */
  private found: string[] | null = null;

  constructor(private readonly host: Host) {}

  get list(): string[] {
    const { suggestions } = this.host;
    return suggestions ? readSuggestions(suggestions) : (this.found ?? []);
  }

  /** Those of another page are others. */
  forget(): void {
    this.found = null;
  }

  async load(): Promise<void> {
    const { host } = this;
    if (host.suggestions || this.found) return;
    this.found = [];
    this.found = await host.connectApi().suggestQuestions(pageOf(host)).catch(() => []);
    host.requestUpdate();
  }
}

/** The questions in the `suggestions` attribute; anything else than a JSON list of texts is none. */
export function readSuggestions(attribute: string): string[] {
  try {
    const list: unknown = JSON.parse(attribute);
    return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
  } catch {
    return [];
  }
}
