/** The entry point `@tau/extensions/assembly`. */
export { type SessionParts, createSession } from "./create-session.ts";
export { askOnce, findHooksOf, type AskTrust } from "./open-hooks.ts";
export { type WantedHooks, loadSdkHooks } from "./sdk-hooks.ts";
export { LiveHost, type LiveHostParts } from "./live-host.ts";
