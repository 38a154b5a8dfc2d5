import type { Citation } from "./api-types";
import { formatReference } from "./cite-formats";
import { acceptUrl } from "./links";

/** Puts a citation into the clipboard; false when that is not allowed, or there is no link. */
export async function copyCitation(
  citation: Citation,
  format: "apa" | "bibtex" | "link",
  bookTitle: string,
): Promise<boolean> {
  const url = acceptUrl(citation.url, location.href);
  return url !== null && copyText(formatReference(format, { book: bookTitle || siteTitle(), url, citation }));
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no clipboard without https, or the reader said no
  }
}

/** The site's name: what it says of itself, else what most sites put last into a page's title. */
function siteTitle(): string {
  const named = document.querySelector<HTMLMetaElement>('meta[property="og:site_name"]')?.content;
  return named || (document.title.split(/ [|–—] /).at(-1) ?? "").trim();
}
