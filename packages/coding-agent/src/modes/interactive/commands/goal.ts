/** `/goal`: the model works until a check command passes. */
import type { SlashCommand } from "./command.ts";

export const goal: SlashCommand = {
	name: "goal",
	yieldsToPrompts: true,
	group: "Tools",
	argumentHint: "[check command | off]",
	words: ["off"],
	description: "Keep working until a command passes",
	details:
		"/goal npm test: whenever the model would stop, the command runs, and its output goes to the model until it passes, the attempts (goal.maxAttempts) or the budget end. /goal shows the goal, /goal off ends it.",
	run(args, host) {
		const { work } = host.sessionHost;
		const check = args.trim();
		if (check === "")
			return host.notify(
				work.goal === undefined ? "There is no goal." : `The goal: ${work.goal.check} passes.`,
			);
		work.setGoal(check === "off" ? undefined : check);
		host.notify(
			check === "off" ? "The goal is off." : `The goal: ${check} passes. It is checked when the model stops.`,
		);
	},
};
