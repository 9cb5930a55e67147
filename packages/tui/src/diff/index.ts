/** The public interface of diffs. */
export { countChanges, diffIn, type Change } from "./diff-lines.ts";
export { DiffView, renderDiff, type DiffViewOptions } from "./diff-view.ts";
