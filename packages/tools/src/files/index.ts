/** The entry point `@tau/tools/files`. */
export { commit } from "./commit.ts";
export {
	type DeniedDelete,
	type DeniedWrite,
	addDeleteFallback,
	addWriteFallback,
	doElsewhere,
} from "./fallback.ts";
export { lockFiles } from "./file-lock.ts";
export { type Splice, splicedAsWritten, unify } from "./line-ends.ts";
export { LineText } from "./line-text.ts";
export { readEntry, readTextFileOrNone } from "./text-file.ts";
export { regionsOf, unifiedDiff } from "./unified-diff.ts";
export { limits } from "./limits.ts";
