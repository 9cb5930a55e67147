/** Changes between two texts. */
export type { Change } from "./diff-lines.ts";
export { DiffView, renderDiff, type DiffViewOptions } from "./diff-view.ts";
