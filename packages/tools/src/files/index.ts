/** The entry point `@tau/tools/files`. */
export { unify, splicedAsWritten, type Splice } from "./line-ends.ts";
export { LineText } from "./line-text.ts";
export { everything, regionsOf, unifiedDiff } from "./unified-diff.ts";
export { limits } from "./limits.ts";
