/** The public interface of searching. */
export { search, searchUnlinked, searchWith, type OnSearchEvent, type RunningSearch } from "./search.ts";
export type { MatchedLine, Range, SearchEvent, SearchOptions, SearchOutcome } from "./types.ts";
