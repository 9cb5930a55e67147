/** The public exports of `grep`, for callers other than the loop. */
export { patternProblem } from "./pattern-problem.ts";
export { flatGrep } from "./tool.ts";
