/** `tau task`: gives tasks to the fleet, shows them, and talks to the sessions that work on them. */
import { runTaskCommand, type FleetContext } from "@tau/fleet";
import { askWorker } from "@tau/server/daemon/daemon-client";
import { contextOf, storeOf } from "@tau/server/fleet";

import type { Args } from "../args.ts";
import type { FlagName } from "../flags.ts";
import { loadSettings } from "../launch/load-settings.ts";
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
		agent: async (name) => (await import("./task-agent.ts")).agentNamed(args, settings, name),
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
