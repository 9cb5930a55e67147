/** The entry point `@tau/tools/tool`. */
export { claudeArguments, ownArguments, type ClaudeForm } from "./claude-form.ts";
export {
	type BuiltinTool,
	type SourceArguments,
	type ToolContext,
	type ToolFacts,
	type ToolSpec,
	type TouchPlace,
	defineTool,
} from "./define-tool.ts";
export { limits as toolLimits } from "./limits.ts";
export type { Answer, AskPerson, Question, ToolConversation, ToolPlace } from "./place.ts";
export { errorResult, textResult } from "./result.ts";
export { Shelf, type Slot } from "./shelf.ts";
