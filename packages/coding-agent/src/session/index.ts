/** The door of sessions. */
export { AgentSession, type AgentSessionOptions, type Prompt } from "./agent-session.ts";
export type { SessionEvent, SessionListener } from "./behavior.ts";
export { persistence } from "./behaviors/persistence.ts";
export { SessionLog } from "./log/index.ts";
