/** The public interface of searching. */
export { search, searchWith, type OnSearchEvent, type RunningSearch } from "./search.ts";
export type { MatchedLine, Range, SearchEvent, SearchOptions, SearchOutcome } from "./types.ts";
