/** The entry point of discovery. */
export { eachCapability } from "./capabilities.ts";
export { registerExtensions } from "./extensions.ts";
export { registerHookSettings, withoutUntrustedHooks } from "./hooks.ts";
export { standardRegistry } from "./standard-registry.ts";
export { survey, type SurveyRow, type SurveySection } from "./survey.ts";
export { type Resources, loadResources, resourceNotice } from "./resources.ts";
export { discoverRules } from "./rules.ts";
export type { ResourceRequest } from "./resources.ts";
