/** The public interface of a session's sandbox. */
export { CommandBoundary } from "./boundary.ts";
export { sandboxModes, SessionSandbox, type SandboxMode, type SandboxPolicy } from "./session-sandbox.ts";
