/** The entry point of discovery. */
export { eachCapability } from "./capabilities.ts";
export { registerExtensions } from "./extensions.ts";
export { registerHookSettings, withoutUntrustedHooks } from "./hooks.ts";
export { discoveryPaths } from "../sources/discovery-paths.ts";
export { sources } from "../sources/index.ts";
export { standardRegistry } from "./standard-registry.ts";
export { survey, type SurveyRow, type SurveySection } from "./survey.ts";
export { Switches } from "../discovery/switches.ts";
export { describeWarning } from "../discovery/types.ts";
export { type Resources, loadResources, resourceNotice } from "./resources.ts";
export { discoverRules } from "./rules.ts";
