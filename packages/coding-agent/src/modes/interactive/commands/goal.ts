/** `/goal`: the model works until a check command passes. */
import { goalLine } from "../status-model.ts";
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
				work.goal === undefined ? "No goal set." : `Goal: \`${work.goal.check}\` must pass.`,
			);
		work.setGoal(check === "off" ? undefined : check);
		host.status("goal", goalLine(work.goal));
		host.notify(check === "off" ? "Goal off." : `Goal set: \`${check}\` must pass. Checked after each turn.`);
	},
};
