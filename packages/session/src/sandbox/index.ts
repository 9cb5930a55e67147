/** The public interface of a session's sandbox. */
export { sandboxModes, SessionSandbox, type SandboxMode, type SandboxPolicy } from "./session-sandbox.ts";
