/** The entry point `@tau/tools/edit`. */
export { editGuard } from "./edit-guard.ts";
export { exactPlaces, overlapping } from "./replace/exact.ts";
export { tolerantMatch } from "./replace/tolerant.ts";
