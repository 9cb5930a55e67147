/** All commands that are built in and concern the session. */
import type { SessionCommand } from "../command.ts";
import { builtinPromptRows } from "../found.ts";
import { commit } from "./commit.ts";
import { clear, compact, context, handoff } from "./context.ts";
import { jobs } from "./jobs.ts";
import { model, scopedModels, thinking } from "./models.ts";
import { label, name } from "./naming.ts";
import { goal, mode, plan, retry } from "./work.ts";

export const rows: readonly SessionCommand[] = [
	name,
	retry,
	clear,
	model,
	scopedModels,
	thinking,
	label,
	compact,
	handoff,
	commit,
	plan,
	goal,
	context,
	jobs,
	mode,
	...builtinPromptRows,
];
