/** The entry point of hooks that are commands. */
export { findHooks } from "./find-hooks.ts";
export type { Hook, HookItem } from "./hook.ts";
export { parseHooks } from "./parse-hooks.ts";
export { HookSource } from "./hook-source.ts";
