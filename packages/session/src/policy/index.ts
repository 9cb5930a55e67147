/** The entry point `@tau/session/policy`: approval modes, rules, grants and the gate of tool calls. */
export type { ApprovalMode, Boundary, GrantInfo } from "@tau/wire";
export { approvalModes } from "@tau/wire";
export { boundaryMeanings, modeMeanings } from "./mode.ts";
export type { PrivateTarget } from "./approval-request.ts";
export { prepareCalls } from "./prepare-calls.ts";
export { Policy, type MergeWrites, type ModeOrigin, type PolicyOptions } from "./policy.ts";
export { protectedFromWrites, protectedLocations } from "./protected-locations.ts";
export type { RuleFile } from "./rule-files.ts";
