/** `/goal`: the model works until a check command passes. */
import { goalState } from "@tau/tools/goal";

import type { SlashCommand } from "./command.ts";

export const goal: SlashCommand = {
	name: "goal",
	yieldsToPrompts: true,
	group: "Tools",
	argumentHint: "[check command | off]",
	description: "Keep working until a command passes",
	details:
		"/goal npm test: whenever the model would stop, the command runs, and its output goes to the model until it passes, the attempts (goal.maxAttempts) or the budget end. /goal shows the goal, /goal off ends it.",
	run(args, host) {
		const state = host.env.services.get(goalState, host.env);
		const check = args.trim();
		if (check === "")
			return host.notify(
				state.check === undefined ? "There is no goal." : `The goal: ${state.check} passes.`,
			);
		state.check = check === "off" ? undefined : check;
		state.attempts = 0;
		host.notify(
			check === "off" ? "The goal is off." : `The goal: ${check} passes. It is checked when the model stops.`,
		);
	},
};
