/** `/schedule`: prompts that the daemon runs at given times, in the directory of this session. */
import { UserError } from "@tau/session/run";
import { UsageError } from "@tau/utils";

import details from "./schedule.md" with { type: "text" };
import { reply, valueItems, type SessionCommand } from "../command.ts";

const actions = ["list", "add", "show", "rm", "run"].map((value) => ({ value }));

export const schedule: SessionCommand = {
	name: "schedule",
	group: "Session",
	argumentHint: "add <time> <prompt>|show|run|rm <number>",
	words: actions.map(({ value }) => value),
	description: "Run a prompt at given times, in the background",
	details: details.trim(),
	right: "control",
	shows: ["", "list", "show"],
	complete: (prefix) => valueItems(actions, prefix, undefined),
	async run(args, { schedules, signal }) {
		if (!schedules) throw new UserError("Schedules are not available here. Use tau schedule.");
		try {
			const done = await schedules(/^(\S+)(?:\s+(.*))?$/s.exec(args)?.slice(1).filter(Boolean) ?? [], signal);
			return { ...reply(done.text), data: { schedules: done.schedules } };
		} catch (error) {
			if (error instanceof UsageError) throw new UserError(error.message);
			throw error;
		}
	},
};
