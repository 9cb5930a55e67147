/** The entry point `@tau/session/compaction`. */
export { summarizeBranch } from "./branch-summary.ts";
export { fileAccess } from "./file-access.ts";
export { piecesOf } from "./path.ts";
export { type SummaryMeans, summarize } from "./summarize.ts";
