/** The entry point `@tau/tools/tool`. */
export { type BuiltinTool, type ToolContext, type ToolSpec, defineTool } from "./define-tool.ts";
export { limits as toolLimits } from "./limits.ts";
export type { Answer, AskPerson, Question, ToolConversation, ToolPlace } from "./place.ts";
export { errorResult, textResult } from "./result.ts";
export { Shelf, type Slot } from "./shelf.ts";
