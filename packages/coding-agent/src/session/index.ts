/** The door of sessions. */
export { AgentSession, type AgentSessionOptions, type Prompt } from "./agent-session.ts";
export type { Behavior, CompactionResult, SessionEvent, SessionListener } from "./behavior.ts";
export { Compactor } from "./compaction/compactor.ts";
export type { CompactionSettings } from "./compaction/settings.ts";
export type { ContextUsage } from "./context-usage.ts";
export { autoCompaction } from "./behaviors/auto-compaction.ts";
export { autoRetry, type RetryHelp, type RetrySettings } from "./behaviors/auto-retry.ts";
export { credentialFeedback } from "./behaviors/credential-feedback.ts";
export { sessionTitle } from "./behaviors/session-title.ts";
export type { ModelUsage, TurnUsage, UsageLedger } from "./behaviors/usage-ledger.ts";
export { persistence } from "./behaviors/persistence.ts";
export * from "./log/index.ts";
export { budgetGuard, type Budget } from "./behaviors/budget-guard.ts";
