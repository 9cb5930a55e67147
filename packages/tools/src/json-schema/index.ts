/** Checks values against JSON Schemas that users and models write. */
export { schemaProblem, valueProblems } from "./check.ts";
