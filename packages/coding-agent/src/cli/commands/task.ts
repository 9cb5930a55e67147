/** `tau task`: gives tasks to the fleet, shows them, and talks to the sessions that work on them. */
import type { Settings } from "@tau/config/settings";
import { isToolNamed } from "@tau/extensions/assembly";
import { runTaskCommand, type FleetContext, type TaskAgent } from "@tau/fleet";
import { askWorker } from "@tau/server/daemon/daemon-client";
import { contextOf, storeOf } from "@tau/server/fleet";

import { UsageError } from "@tau/utils";

import type { Args } from "../args.ts";
import type { FlagName } from "../flags.ts";
import { loadSettings } from "../launch/load-settings.ts";
import { printError } from "../print-error.ts";
import { pipedInput } from "../piped-input.ts";
import { onInterrupt } from "../signals.ts";
import { isJson, printed } from "./sessions/output.ts";

export async function runTask(args: Args): Promise<number> {
	const [action = "list", ...operands] = args.operands;
	using interruption = onInterrupt();
	const settings = await loadSettings(args);
	await using store = await storeOf(settings);
	const context: FleetContext = {
		...contextOf(settings, {
			store,
			cwd: process.cwd(),
			signal: interruption.signal,
			startWorker: askWorker,
		}),
		isJson: isJson(args) || args.flags.has("json"),
		print: async (text) => void (await printed(text)),
		flag: (name) => args.flags.get(name as FlagName),
		flags: (name) => args.repeated?.get(name as FlagName) ?? [],
		input: async () => await pipedInput()?.text(),
		agent: async (name) => await agentNamed(args, settings, name),
		async attach(to) {
			if ("sessionId" in to) {
				const { runAttach } = await import("./attach/command.ts");
				return await runAttach({ ...args, operands: [to.sessionId] });
			}
			const { runJoin } = await import("./join.ts");
			return await runJoin({ ...args, operands: [to.room] });
		},
	};
	return await runTaskCommand(context, action, operands);
}

/** Tools that the file names as Claude Code does are given by Tau's names. */
async function agentNamed(args: Args, settings: Settings, name: string): Promise<TaskAgent> {
	const [{ openResources }, { builtinAgents }, { builtinTools }] = await Promise.all([
		import("../launch/open-resources.ts"),
		import("@tau/tools/task"),
		import("@tau/integrations/builtin"),
	]);
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
