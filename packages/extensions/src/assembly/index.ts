/** The entry point `@tau/extensions/assembly`. */
export { openSession, type SessionParts } from "./open-session.ts";
export { isToolNamed } from "./child-parts.ts";
export { runByOperations } from "./user-commands.ts";
export { askOnce, findHooksOf, type AskTrust } from "./open-hooks.ts";
export { type SdkHooks, loadSdkHooks } from "./sdk-hooks.ts";
export { configuredMachines, SessionMachine, type RemoteMachine } from "./session-machine.ts";
export { McpSource, type McpSourceOptions } from "./mcp-source.ts";
