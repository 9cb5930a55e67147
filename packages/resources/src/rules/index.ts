/** The entry point of rules. */
export { builtinRules } from "./builtin/index.ts";
export { conditionProblems, loadRules, type LoadedRules } from "./load.ts";
export { sortRules, type SortedRules } from "./sort.ts";
export { ruleUrls } from "./urls.ts";
export { ttsr } from "./ttsr/behavior.ts";
