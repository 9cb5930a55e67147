/** The public interface of the sandbox. */
export type { CommandSandbox } from "./command-sandbox.ts";
export { containerKind } from "./container.ts";
export type { AllowedBy, Denial } from "./denial.ts";
export { codeNamedBySettings } from "./git-paths.ts";
export { withSandbox } from "./machine.ts";
export { outsideCommand } from "./outside-command.ts";
export { PrivateTemporary } from "./private-directory.ts";
export { projectProfile, type SandboxProfile } from "./profile.ts";
export type { PublishedPort } from "./network/loopback.ts";
export type { RefusedHost } from "./network/proxy.ts";
export { registryOf } from "./network/registries.ts";
export {
	agentSettings,
	editorSettings,
	promptSettings,
	repositorySettings,
	runsLater,
	secrets,
} from "./secrets.ts";
export { Sandbox } from "./sandbox.ts";
export { knownSupport, sandboxSupport, type SandboxSupport } from "./support.ts";
export { whyNoShell } from "./trial.ts";
