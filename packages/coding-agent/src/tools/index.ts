/** The built-in tools. */
import { bash } from "./bash/tool.ts";
import type { BuiltinTool } from "./define-tool.ts";
import { read } from "./read/tool.ts";

export const builtinTools: readonly BuiltinTool[] = [read, bash];
