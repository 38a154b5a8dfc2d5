const SESSION = "quoth-session";
let unstored = "";

/** The reader's session: a random id that lives as long as the tab, or until a new conversation. */
export function readSessionId(): string {
  try {
    const stored = sessionStorage.getItem(SESSION);
    if (stored) return stored;
    const fresh = unstored || randomUuid();
    sessionStorage.setItem(SESSION, fresh);
    return fresh;
  } catch {
    unstored ||= randomUuid(); // storage may be switched off
    return unstored;
  }
}

/** The next question begins a new session, and is no follow-up of the one before. */
export function endSession(): void {
  unstored = "";
  try {
    sessionStorage.removeItem(SESSION);
  } catch {
    // Nothing was stored.
  }
}

function randomUuid(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  // Pages served over plain http have no randomUUID.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Where a question that waits for a part of the book is kept. */
export const DEFERRED = "quoth-deferred";

/** Whether a question waits since a page before. */
export function hasKept(): boolean {
  try {
    return DEFERRED in sessionStorage;
  } catch {
    return false; // storage may be switched off
  }
}

/** The reader has asked something else. */
export function forgetKept(): void {
  try {
    sessionStorage.removeItem(DEFERRED);
  } catch {
    // Nothing was kept.
  }
}
