/** Syntax highlighting. */
export { loadLanguage, onHighlighterReady } from "./engine.ts";
export { highlightCode, linePainter, type LinePainter } from "./highlight-code.ts";
export { getLanguageFromPath } from "./languages.ts";
