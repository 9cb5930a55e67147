/** The entry point `@tau/tools/files`. */
export { unify, splicedAsWritten, type Splice } from "./line-ends.ts";
export { LineText } from "./line-text.ts";
export { applyDiff, diffParts } from "./read-diff.ts";
export { everything, regionsOf, unifiedDiff } from "./unified-diff.ts";
export { limits } from "./limits.ts";
export { editMode } from "./edit-mode.ts";
export { hashlineHeader } from "./hashline.ts";
export { snapshotsOf } from "./snapshots.ts";
