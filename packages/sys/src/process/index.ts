/** The door of processes. */
export { killTree, listDescendants } from "./tree.ts";
