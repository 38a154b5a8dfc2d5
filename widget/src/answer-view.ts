/**
 * What is loaded while the first answer is on its way: showing it, judging it, and finding the places it cites.
 */
import "./feedback";

export { useAnswerLanguage } from "./answer-strings";
export { answerStyles } from "./answer-styles";
export { splitAtQuotes } from "./cited-parts";
export { renderAnswerSources, renderAnswerText } from "./panel-answer";
export { renderCounted } from "./countdown";
export { clearHighlight } from "./mark-quotes";
export { findPlace, markQuoted, showPlace } from "./place";
