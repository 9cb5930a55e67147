/** Watching and scanning the files of a project. */
export { loadPoll, pollEvents, type Poll } from "./poll.ts";
export { scanTree, type TreeRules } from "./tree-scan.ts";
export { TreeWatch, type TreeEvent } from "./tree-watch.ts";
