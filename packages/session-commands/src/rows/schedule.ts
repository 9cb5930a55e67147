/** `/schedule`: prompts that the daemon runs at given times, in the directory of this session. */
import { UserError } from "@tau/session/run";
import { UsageError } from "@tau/utils";

import { reply, valueItems, type SessionCommand } from "../command.ts";

const actions = ["list", "add", "show", "rm", "run"].map((value) => ({ value }));

export const schedule: SessionCommand = {
	name: "schedule",
	group: "Session",
	argumentHint: "add <time> <prompt>|show|run|rm <number>",
	words: actions.map(({ value }) => value),
	description: "Run a prompt at given times, in the background",
	details:
		'The time is a cron expression or an interval: `/schedule add "0 9 * * 1-5" review the commits of yesterday`, `/schedule add every 2h check the CI`. Each run is a session of its own in this directory with the present model; its questions wait for you (`tau ps`, `tau attach`).',
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
