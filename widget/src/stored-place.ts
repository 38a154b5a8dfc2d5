import type { TextQuote } from "./api-types";
import { isSamePage } from "./links";

const STORED_PLACE = "quoth-place";
/** A place waits this long, in ms, for its page; a navigation given up must not surprise later. */
const STORED_FOR = 30_000;

/** What a link of the panel points to: a section, and quotes in it. */
export interface Place {
  url: string;
  quotes: TextQuote[];
}

/** Keeps a place for the page that is about to load. */
export function storePlace(place: Place): void {
  try {
    sessionStorage.setItem(STORED_PLACE, JSON.stringify({ ...place, at: Date.now() }));
  } catch {
    // Storage may be switched off; the hash still leads to the heading.
  }
}

/** Takes the stored place when it belongs to this page; it is given out once. */
export function takeStoredPlace(): Place | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORED_PLACE) ?? "null");
    if (!isPlace(stored) || !isSamePage(stored.url, location.href)) return null;
    sessionStorage.removeItem(STORED_PLACE);
    return Date.now() - stored.at < STORED_FOR ? stored : null;
  } catch {
    return null;
  }
}

function isPlace(value: unknown): value is Place & { at: number } {
  const place = value as Partial<Place & { at: number }> | null;
  return (
    typeof place?.url === "string" &&
    typeof place.at === "number" &&
    Array.isArray(place.quotes) &&
    place.quotes.every((q?: Partial<TextQuote> | null) =>
      [q?.exact, q?.prefix, q?.suffix].every((t) => typeof t === "string"),
    )
  );
}
