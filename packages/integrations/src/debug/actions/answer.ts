/** Carries out the actions of the tool `debug`; loaded with its first call. */
import type { AgentToolResult } from "@tau/agent";

import { type ToolContext, errorResult, textResult } from "@tau/tools/tool";
import { DapError } from "../client/connection.ts";
import { debuggers } from "../debuggers.ts";
import { describeSessions } from "../describe.ts";
import type { Arguments } from "../parameters.ts";
import { changeBreakpoints } from "./breakpoints.ts";
import {
	disassemble,
	evaluateExpression,
	memory,
	output,
	setVariable,
	stack,
	threads,
	variables,
} from "./inspect.ts";
import { attach, launch, pause, resume, step, terminate } from "./run.ts";

/** What a debugger refuses is a result for the model. */
export async function answer(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	try {
		return await act(args, context);
	} catch (error) {
		if (error instanceof DapError) return errorResult(error.message);
		throw error;
	}
}

async function act(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	switch (args.action) {
		case "launch":
			return launch(args, context);
		case "attach":
			return attach(args, context);
		case "breakpoints":
			return changeBreakpoints(args, context);
		case "continue":
			return resume(args, context);
		case "pause":
			return pause(args, context);
		case "threads":
			return threads(args, context);
		case "stack":
			return stack(args, context);
		case "variables":
			return variables(args, context);
		case "evaluate":
			return evaluateExpression(args, context);
		case "set_variable":
			return setVariable(args, context);
		case "output":
			return output(args, context);
		case "memory":
			return memory(args, context);
		case "disassemble":
			return disassemble(args, context);
		case "terminate":
			return terminate(args, context);
		case "sessions":
			return textResult(
				describeSessions(context.services.get(debuggers, context)).join("\n") ||
					"No program is being debugged.",
			);
		default:
			return step(args.action, args, context);
	}
}
