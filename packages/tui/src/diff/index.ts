/** The public interface of diffs. */
export { diffIn } from "@tau/utils";
export { countChanges, type Change } from "./diff-lines.ts";
export { DiffView, renderDiff, type DiffViewOptions } from "./diff-view.ts";
