/** The door of `grep` for others than the loop. */
export { patternProblem } from "./pattern-problem.ts";
