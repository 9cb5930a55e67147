/** The entry point `@tau/tools/goal`. */
export { goalKeeper, goalState, type Goal } from "./goal.ts";
