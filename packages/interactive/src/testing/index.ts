/** The entry point `@tau/interactive/testing`. */
export { condensedViewContext } from "./condensed.ts";
export { frame } from "./view-context.ts";
export { CallGroup } from "../views/call-group.ts";
export { ToolCallView } from "../views/tool-call.ts";
