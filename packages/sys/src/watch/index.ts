/** Watching and scanning the files of a project. */
export { scanTree, type TreeRules } from "./tree-scan.ts";
export { TreeWatch, type TreeEvent } from "./tree-watch.ts";
