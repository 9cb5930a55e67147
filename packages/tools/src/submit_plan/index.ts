/** The entry point `@tau/tools/plan`. */
export { submitPlan } from "./tool.ts";
