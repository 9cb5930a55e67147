/** The public interface of searching. */
export { search, type OnSearchEvent } from "./search.ts";
export type { MatchedLine, Range, SearchEvent, SearchOptions, SearchOutcome } from "./types.ts";
