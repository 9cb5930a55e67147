/** The door of sessions. */
export type { Access } from "./run/access.ts";
export { AgentSession, type AgentSessionOptions } from "./run/agent-session.ts";
export type { Behavior, SessionEvent, SessionHandle, SessionListener } from "./run/behavior.ts";
export type { CompactionResult } from "@tau/wire";
export type { Prompt } from "./run/prompt.ts";
export type { AskChange, RequestWatch, Selection, Settled } from "./run/run-hooks.ts";
export type { BranchSummary } from "./compaction/branch-summary.ts";
export { Compactor } from "./compaction/compactor.ts";
export type { CompactionSettings } from "./compaction/settings.ts";
export type { ContextUsage } from "./run/context-usage.ts";
export { autoCompaction } from "./behaviors/auto-compaction.ts";
export { autoRetry, type RetryHelp, type RetrySettings } from "./behaviors/auto-retry.ts";
export { credentialFeedback } from "./behaviors/credential-feedback.ts";
export { sessionTitle } from "./behaviors/session-title.ts";
export { UsageLedger, type ModelUsage, type TurnUsage } from "./run/usage-ledger.ts";
export { persistence } from "./behaviors/persistence.ts";
export * from "./log/index.ts";
export { budgetGuard, type Budget } from "./behaviors/budget-guard.ts";
