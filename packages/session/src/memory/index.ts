/** The entry point `@tau/session/memory`: loaded when memory is used. */
export type { AskMemory } from "./answers.ts";
export type { Fact, MemoryChange, NewFact, RowChange } from "./fact.ts";
export { Memory, type ScopedChange } from "./memory.ts";
export { memoryDirectories, type MemoryDirectories } from "./directories.ts";
export { type Digest, type Scope, type ScopedFact } from "./render.ts";
export { MemoryStore } from "./store.ts";
export { updateMemory, type MemorySettings, type UpdateReport } from "./update.ts";
export { isPrivate, privacyType } from "./words.ts";
