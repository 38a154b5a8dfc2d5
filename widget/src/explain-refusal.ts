/** The browser hides why a page of another site may not ask: tells the author what to set. */
export async function explainRefusal(endpoint: string): Promise<void> {
  const { origin } = location;
  if (new URL(endpoint, origin).origin === origin) return;
  // This goes through only where something answers.
  const answers = await fetch(`${endpoint}/health`, { mode: "no-cors" }).catch(() => null);
  if (answers) {
    console.error(`Quoth: ${endpoint} takes no questions from ${origin}. Start it with`
      + ` \`quoth up --origin ${origin}\`, or add ${origin} to AllowedOrigins of its stack.`);
  }
}
