/** The public interface of fuzzy matching. */
export { fuzzyFilter, fuzzyMatch, type FuzzyMatch } from "./match.ts";
export { fuzzyPaths, type FuzzyPath } from "./paths.ts";
