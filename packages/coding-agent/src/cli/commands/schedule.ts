/** `tau schedule`: prompts that the daemon runs at given times. */
import { runScheduleAction } from "@tau/server/daemon/schedule-command";
import { UsageError } from "@tau/utils";

import type { Args } from "../args.ts";
import { onInterrupt } from "../signals.ts";
import { argvOf } from "./attach/argv-of.ts";
import { isJson, jsonLine, printed } from "./sessions/output.ts";

export async function runSchedule(args: Args): Promise<number> {
	using interruption = onInterrupt();
	if (args.flags.has("no-session"))
		throw new UsageError("A scheduled session is saved: --no-session cannot be combined with it.");
	const flags = new Map([...args.flags].filter(([name]) => name !== "json"));
	const { text, schedules } = await runScheduleAction(args.operands, {
		cwd: process.cwd(),
		argv: argvOf({ ...args, flags }),
		signal: interruption.signal,
	});
	const asJson = isJson(args) || args.flags.has("json");
	return printed(asJson ? schedules.map(jsonLine).join("") : `${text}\n`);
}
