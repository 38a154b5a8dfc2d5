/** The address a link may point to: http(s) and the page's own origin, or null. */
export function acceptUrl(raw: unknown, page: string): string | null {
  if (typeof raw !== "string" || raw.trim() === "") return null;
  try {
    const here = new URL(page);
    const url = new URL(raw, here);
    const isHttp = url.protocol === "http:" || url.protocol === "https:";
    if (!isHttp || url.origin !== here.origin || url.username || url.password) return null;
    return url.href;
  } catch {
    return null;
  }
}

/** Whether two addresses show the same page: the hash, index.html, .html and a final slash aside. */
export function isSamePage(a: string, b: string): boolean {
  return pageOf(a) === pageOf(b);
}

function pageOf(href: string): string {
  const url = new URL(href);
  const path = decode(url.pathname)
    .replace(/\/index\.html$/, "/")
    .replace(/\.html$/, "")
    .replace(/\/+$/, "");
  return url.origin + path + url.search;
}

/** The id a hash names, decoded. */
export function idInHash(href: string): string {
  return decode(new URL(href).hash.slice(1));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % is legal in an address
  }
}
