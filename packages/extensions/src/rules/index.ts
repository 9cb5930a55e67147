/** The door of rules. */
export { builtinRules } from "./builtin/index.ts";
export { loadRules, type FoundRules } from "./load.ts";
export { sortRules, type SortedRules } from "./sort.ts";
export { ruleUrls } from "./urls.ts";
