import type { Strings } from "./strings-en";

/** What the reader sees in German before the panel is opened. What the server says stays as it says it. */
export const german: Strings = {
  lang: "de",
  launcher: "Das Buch fragen",
  back: "Zurück zur Antwort",
  explain: "Erklären",
  explainThis: "Explain this.",
  explainWords: (words) => `Explain ${words}`,
  summarise: "Zusammenfassen",
  summariseThis: "Summarise this.",
  selectionButton: "Dazu fragen",
  selectionHint: "Text markiert. Alt+Q drücken, um dazu zu fragen.",
  selectionLabel: "Markierter Text",
  answerReady: "Ihre Antwort ist da",
  unavailable: "Der Assistent ist gerade nicht erreichbar. Bitte versuchen Sie es gleich noch einmal.",
  unreachable: "Das Buch ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.",
  expectedWait: "Das dauert zu lange. Bitte versuchen Sie es noch einmal.",
  shownQuote: "Das Zitat ist auf der Seite hervorgehoben.",
  shownSection: "Das Zitat wurde nicht wörtlich gefunden; dies ist sein Abschnitt.",
  wayBack: "Alt+Q führt zurück.",
  shownNowhere: "Das Zitat wurde auf dieser Seite nicht gefunden.",
};
