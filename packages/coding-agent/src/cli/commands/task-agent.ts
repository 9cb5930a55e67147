/** The agent that a task works as (`tau task add --agent`): what its file says now, because workers may not have the file. */
import type { Settings } from "@tau/config/settings";
import { isToolNamed } from "@tau/extensions/assembly";
import type { TaskAgent } from "@tau/fleet";
import { builtinTools } from "@tau/integrations/builtin";
import { builtinAgents } from "@tau/tools/task";
import { UsageError } from "@tau/utils";

import type { Args } from "../args.ts";
import { openResources } from "../launch/open-resources.ts";
import { printError } from "../print-error.ts";

/** Rejects with a `UsageError` that names those that there are. Tools that the file names as Claude Code does are given by Tau's names. */
export async function agentNamed(args: Args, settings: Settings, name: string): Promise<TaskAgent> {
	const onNotice = (message: string): void => printError(message);
	const { agents } = await openResources({ args, cwd: process.cwd(), settings, commandEnv: {}, onNotice });
	const types = [...agents.map(({ type }) => type), ...builtinAgents()];
	const type = types.find((each) => each.name === name);
	if (!type)
		throw new UsageError(
			`--agent ${name}: there is no such agent. There are: ${types.map((each) => each.name).join(", ")}.`,
		);
	const named = (words: readonly string[] = []): string[] =>
		builtinTools.flatMap((tool) => (isToolNamed(tool, words) ? [tool.name] : []));
	const { prompt, model, thinking, tools, withoutTools } = type;
	const [only, except] = [named(tools), named(withoutTools)];
	const argv = [
		...(only.length > 0 ? [`--tools=${only.join(",")}`] : []),
		...(except.length > 0 ? [`--exclude-tools=${except.join(",")}`] : []),
		...(thinking === undefined ? [] : [`--thinking=${thinking}`]),
	];
	return { name, prompt, argv, ...(model === undefined ? {} : { model }) };
}
