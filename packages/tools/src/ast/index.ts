/** The structure of code: search and rewriting. */
export { rewrite, type Match } from "./engine.ts";
export { aboutStopped, searchStructure, type FileMatches, type AstFileMatches } from "./files.ts";
export { languageNamed, languageOf, languages, type Language } from "./languages.ts";
export { limits as astLimits } from "./limits.ts";
export { findStructure } from "./structure.ts";
