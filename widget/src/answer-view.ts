/**
 * What is loaded while the first answer is on its way: showing it, judging it, and finding the places it cites.
 */
import "./feedback";

export { answerStyles } from "./answer-styles";
export { splitAtQuotes } from "./cited-parts";
export { renderAnswerSources, renderAnswerText } from "./panel-answer";
export { clearHighlight } from "./mark-quotes";
export { findPlace, markQuoted, showPlace } from "./place";
