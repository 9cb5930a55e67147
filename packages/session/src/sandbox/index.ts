/** The public interface of a session's sandbox. */
export { CommandBoundary } from "./boundary.ts";
export type { SessionPorts } from "./session-ports.ts";
export { sandboxModes, SessionSandbox, type SandboxMode, type SandboxPolicy } from "./session-sandbox.ts";
