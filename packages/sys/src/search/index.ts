/** The public interface of searching. */
export { search, type OnSearchEvent } from "./search.ts";
export type { FoundLine, Range, SearchEvent, SearchOptions, SearchOutcome } from "./types.ts";
