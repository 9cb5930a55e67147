/** The entry point `@tau/resources/discovery/testing`. */
export { plantTree, skillText, type Tree } from "./tree.ts";
