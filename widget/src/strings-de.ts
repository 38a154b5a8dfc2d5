import type { Strings } from "./strings-en";

/** The panel in German. What the server says stays as it says it. */
export const german: Strings = {
  lang: "de",
  launcher: "Das Buch fragen",
  title: "Das Buch fragen",
  close: "Schließen",
  newConversation: "Neues Gespräch",
  conversation: "Gespräch",
  back: "Zurück zur Antwort",
  width: "Breite des Fensters",
  questionLabel: "Ihre Frage",
  questionPlaceholder: "Was möchten Sie wissen?",
  submit: "Fragen",
  emptyQuestion: "Bitte geben Sie eine Frage ein.",
  charactersLeft: (n) => `noch ${n.toLocaleString("de")} Zeichen`,
  tooLong: (n) => `${n.toLocaleString("de")} Zeichen zu viel: Eine Frage hat höchstens 1.000.`,
  sections: "Abschnitte des Buches",
  sectionsFound: (n) => (n === 1 ? "1 Abschnitt" : `${n} Abschnitte`),
  suggestions: "Sie könnten fragen",

  modeLabel: "Antworten aus",
  modeBook: "Ganzes Buch",
  modeSelection: "Nur dieser Text",
  modeHighlight: "Diese Stelle und ihre Umgebung",
  modeSelectionHint: "Markieren Sie Text auf der Seite, um nur dazu zu fragen.",
  activeMode: (mode) => `Antwortet aus: ${mode}`,
  explain: "Erklären",
  explainThis: "Explain this.",
  explainWords: (words) => `Explain ${words}`,
  summarise: "Zusammenfassen",
  summariseThis: "Summarise this.",
  selectionButton: "Dazu fragen",
  selectionHint: "Text markiert. Alt+Q drücken, um dazu zu fragen.",
  selectionLabel: "Markierter Text",
  words: (n) => (n === 1 ? "1 Wort" : `${n.toLocaleString("de")} Wörter`),
  selectionTooShort: (minimum) =>
    `Bitte markieren Sie mindestens ${minimum} Wörter, oder fragen Sie das ganze Buch.`,
  selectionTruncated: "⚠️ Der markierte Text ist lang und wurde auf 2000 Tokens gekürzt.",
  askWholeBook: "Das ganze Buch fragen",

  searching: "Suche im Buch …",
  readingSelection: "Lese den markierten Text …",
  writing: "Abschnitte gefunden. Die Antwort wird geprüft …",
  queued: (position, etaS) =>
    `Viele Anfragen. Ihre Frage steht in der Warteschlange (Platz ${position}, etwa ${etaS} Sekunden).`,
  sectionsWhileWaiting: "Passende Abschnitte",
  answerReady: "Ihre Antwort ist da",
  retry: "Noch einmal versuchen",
  unavailable: "Der Assistent ist gerade nicht erreichbar. Bitte versuchen Sie es gleich noch einmal.",
  unreachable: "Das Buch ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.",
  expectedWait: "Das dauert zu lange. Bitte versuchen Sie es noch einmal.",

  chapter: (title) => (/^kapitel\b/i.test(title) ? title : `Kapitel: ${title}`),
  preferChapter: "Dieses Kapitel bevorzugen",

  copied: "Kopiert.",
  notCopied: "Kopieren ist hier nicht erlaubt.",

  shownQuote: "Das Zitat ist auf der Seite hervorgehoben.",
  shownSection: "Das Zitat wurde nicht wörtlich gefunden; dies ist sein Abschnitt.",
  shownNowhere: "Das Zitat wurde auf dieser Seite nicht gefunden.",
};
