/** What a start needs of the sandbox: whether there is one, and what it protects. The rest comes with the first command. */
export { browserData, isBrowserData } from "./browser-data.ts";
export type { CommandSandbox } from "./command-sandbox.ts";
export { containerKind } from "./container.ts";
export type { AllowedBy, Denial } from "./denial.ts";
export { gitUser, type GitUser } from "./git-user.ts";
export { hiddenNames } from "./hidden-names.ts";
export { withSandbox } from "./machine.ts";
export { HeldProject } from "./held-project.ts";
export { outsideCommand } from "./outside-command.ts";
export { PrivateTemporary } from "./private-directory.ts";
export type { SandboxProfile } from "./profile.ts";
export type { PublishedPort } from "./network/loopback.ts";
export type { RefusedHost } from "./network/proxy.ts";
export { registryOf } from "./network/registries.ts";
export {
	agentSettings,
	editorSettings,
	promptSettings,
	repositorySettings,
	runsLater,
	settingsVariables,
} from "./runs-later.ts";
export { browsers, secrets } from "./secrets.ts";
export { knownSupport, sandboxSupport, type SandboxSupport } from "./support.ts";
export { whyNoShell } from "./trial.ts";
