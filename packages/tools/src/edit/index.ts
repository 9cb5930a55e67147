/** The entry point `@tau/tools/edit`. */
export { editGuard } from "./edit-guard.ts";
export { exactOffsets, overlapping } from "./replace/exact.ts";
export { tolerantMatch } from "./replace/tolerant.ts";
