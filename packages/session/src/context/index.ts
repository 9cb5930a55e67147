/** The entry point `@tau/session/context`: what fills the context, and how the user changes that. */
export { ContextControl } from "./context-control.ts";
export { replaceSummary, undoCompaction, type SummaryInfo } from "./edit-summary.ts";
export type { SourceName } from "./message-parts.ts";
export { systemParts } from "./system-parts.ts";
export type { CachedTurn, ContextItem, ContextReport, ContextSource } from "./report.ts";
export { causeText, contextText, shareCached } from "./report-text.ts";
