/** A played host of the page: for development, for tests that need no model, and for pictures. */
export { demoSessions } from "./demo-sessions.ts";
export { startMockHost, type MockHost } from "./mock-host.ts";
export { MockSession } from "./mock-session.ts";
export { answer, ask, call, factsOf, result, shellApproval, stream, text, user } from "./scenes.ts";
