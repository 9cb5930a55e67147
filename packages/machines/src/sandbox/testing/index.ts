/** The entry point `@tau/machines/sandbox/testing`. */
export { neededForLandlock, neededPrograms, sandboxFixture, type SandboxFixture } from "./sandbox-fixture.ts";
