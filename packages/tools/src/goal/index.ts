/** The entry point `@tau/tools/goal`. */
export { goalKeeper, goalOf, setGoal } from "./goal.ts";
