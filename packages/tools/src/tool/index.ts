/** The entry point `@tau/tools/tool`. */
export { claudeArguments, ownArguments, type ClaudeForm } from "./claude-form.ts";
export {
	type BuiltinTool,
	type CallKind,
	type SourceArguments,
	type ToolContext,
	type ToolFacts,
	type ToolSpec,
	type TouchContext,
	defineTool,
} from "./define-tool.ts";
export { limits as toolLimits } from "./limits.ts";
export type { Answer, AskUser, PlanControl, Question, ServiceKeys, ToolSession, ToolEnv } from "./env.ts";
export { errorResult, textResult } from "./result.ts";
export { SessionServices, type ServiceKey } from "./services.ts";
export {
	keysOfServices,
	planMode,
	projectEnv,
	userQuestions,
	userTerminals,
	type ServiceAccess,
} from "./env.ts";
export { type Paid, paidUsage } from "./paid-usage.ts";
export { fileTouch, treeTouch } from "./touch.ts";
