/** What a session needs of statistics: how usage is recorded. Nothing here loads the index. */
export { usageDirectory, UsageLines } from "./usage-lines.ts";
export { type AnswerUsage, type ToolUsage, type UsageRecord } from "./usage-line.ts";
