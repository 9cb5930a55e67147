/** The door of the session log. */
export type { BlobStore } from "./blob-store.ts";
export { calledIn, writtenIn } from "./called.ts";
export type { ContextOptions, SessionContext } from "./context.ts";
export type * from "./entry.ts";
export { collectGarbage, type GcReport } from "./gc/collect.ts";
export type { Locked } from "./lock.ts";
export type { LockOwner } from "./lock-owner.ts";
export type * from "./messages.ts";
export { defaultSessionDir } from "./paths.ts";
export { describeProblem, newerInWords, ownerInWords, type LogProblem } from "./problem.ts";
export type { SessionInfo } from "./session-info.ts";
export { SessionLockedError } from "./refusal.ts";
export { SessionManager, type OpenOptions, type OpenOutcome } from "./session-manager.ts";
export type { Spent } from "./spent.ts";
export type { SessionTreeNode } from "./session-tree.ts";
export { trashSession } from "./trash.ts";
