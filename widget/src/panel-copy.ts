import type { Citation } from "./api-types";
import { panelStrings } from "./strings";

type Copying = typeof import("./copy-citation");

/** What the panel's buttons put into the clipboard, and what is said of it. */
export function copyActs(bookTitle: string, announce: (sentence: string) => Promise<unknown>) {
  const copy = async (put: (copying: Copying) => Promise<boolean>): Promise<void> => {
    await announce(""); // the same sentence twice would be said once
    void announce((await put(await import("./copy-citation"))) ? panelStrings.copied : panelStrings.notCopied);
  };
  return {
    copyCitation: (citation: Citation, format: "apa" | "bibtex" | "link") =>
      copy(({ copyCitation }) => copyCitation(citation, format, bookTitle)),
    copyCode: (code: string) => copy(({ copyText }) => copyText(code)),
  };
}
