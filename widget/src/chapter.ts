/** Which chapter the reader is in, and how sure the page lets us be. */
export interface ChapterContext {
  chapter_id: string;
  chapter_title: string;
  confidence: "high" | "medium";
  source: string;
}

/** What a page tells of its chapter. `id` and `title` are the host's own words, where it has some. */
export interface PageSigns {
  id: string;
  title: string;
  sourcePath: string;
  pathname: string;
  heading: string;
}

/** `isPage`: the sign is of the page itself, whose heading is then the title. */
type Sign = { id: string; title: string; isPage?: boolean };

const NUMBERED_FOLDER = /^(\d{1,3})[-_. ]+(\D.*)$/;
const CHAPTER_NAME = /^ch(?:ap(?:ter)?)?[-_. ]?(\d{1,3})(?:[-_. ]+(.*))?$/i;
const CHAPTER_TITLE = /^chapter\s+(\d{1,3})\b[\s:.–—-]*(.*)/i;

/**
 * The chapter, from the host's data (or the source's path), the address and the first heading:
 * high when two of them agree, medium when one speaks, null when none does.
 */
export function detectChapter(signs: PageSigns): ChapterContext | null {
  const found = ([
    ["page", readHost(signs)],
    ["url", readAddress(signs.pathname)],
    ["heading", readHeading(signs.heading)],
  ] as const).filter((each): each is [typeof each[0], Sign] => each[1] !== null);
  const first = found[0];
  if (!first) return null;
  const agreeing = found.find((other) => other !== first && agree(first[1], other[1]));
  const best = first[1];
  const titled = found.find((other) => other[1].title && agree(best, other[1]));
  return {
    chapter_id: best.id,
    chapter_title: best.title || titled?.[1].title || (best.isPage ? signs.heading.trim() : nameOf(best.id)),
    confidence: agreeing ? "high" : "medium",
    source: agreeing ? `${first[0]}+${agreeing[0]}` : first[0],
  };
}

function readHost({ id, title, sourcePath }: PageSigns): Sign | null {
  if (id || title) return { id: id || slug(title), title };
  const parts = sourcePath.split("/");
  return firstChapter(parts.map((part) => part.replace(/\.mdx?$/, "")));
}

function readAddress(pathname: string): Sign | null {
  const parts = safeDecode(pathname).replace(/\.html$/, "").split("/").filter(Boolean);
  return firstChapter(parts) ?? (parts.length > 1 ? { id: parts.at(-2) as string, title: "" } : null);
}

function firstChapter(parts: string[]): Sign | null {
  const at = parts.findIndex((each) => NUMBERED_FOLDER.test(each) || CHAPTER_NAME.test(each));
  return at < 0 ? null : { id: parts[at] as string, title: "", isPage: at === parts.length - 1 };
}

function readHeading(heading: string): Sign | null {
  const titled = CHAPTER_TITLE.exec(heading.trim());
  return titled ? { id: titled[1] as string, title: heading.trim() } : null;
}

function agree(a: Sign, b: Sign): boolean {
  const names = keysOf(b);
  return keysOf(a).some((key) => names.includes(key));
}

/** The number and the bare names a chapter may be known by. */
function keysOf({ id, title }: Sign): string[] {
  const numbered = CHAPTER_NAME.exec(id) ?? NUMBERED_FOLDER.exec(id) ?? /^(\d{1,3})$/.exec(id);
  const titled = CHAPTER_TITLE.exec(title);
  const names = [numbered?.[2] ?? (numbered ? "" : id), titled ? (titled[2] ?? "") : title].map(slug).filter(Boolean);
  const number = numbered?.[1] ?? titled?.[1];
  return number === undefined ? names : [...names, String(Number(number))];
}

function slug(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
}

/** A folder's name without its number; "" where no more than a number is left. */
function nameOf(id: string): string {
  const name = (NUMBERED_FOLDER.exec(id)?.[2] ?? CHAPTER_NAME.exec(id)?.[2] ?? id).replace(/[-_]+/g, " ").trim();
  return /^[\d ]*$|^ch(?:ap(?:ter)?)? ?\d/i.test(name) ? "" : name.charAt(0).toUpperCase() + name.slice(1);
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
