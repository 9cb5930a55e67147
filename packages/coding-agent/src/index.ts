/** The door of the application for programs that embed it. */
export { ModelRegistry } from "./config/model-registry.ts";
export {
	AgentSession,
	persistence,
	SessionLog,
	type AgentSessionOptions,
	type Prompt,
} from "./session/index.ts";
export { builtinTools } from "./tools/index.ts";
