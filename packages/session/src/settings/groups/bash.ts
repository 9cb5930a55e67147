/** Settings about the commands that models run. */
import { count, toggle } from "../setting.ts";

export const bash = {
	"async.enabled": toggle({
		description: "Let models run commands in the background, as jobs.",
		default: true,
		notForProjects: "it decides what the model may do",
	}),
	"bash.autoBackground.enabled": toggle({
		description: "Turn a command that runs for long into a job, so that the model can go on.",
		default: false,
	}),
	"bash.autoBackground.thresholdMs": count(
		{ least: 1, most: 3_600_000, unit: "ms" },
		{ description: "How long a command runs before it becomes a job.", default: 60_000 },
	),
	"bash.rcSnapshot": toggle({
		description: "Give commands the functions and aliases of your ~/.bashrc.",
		default: true,
		fixed: true,
		notForProjects: "it decides what is run",
	}),
	"bashInterceptor.enabled": toggle({
		description: "Refuse commands for which there is a better tool, such as cat and grep, and name the tool.",
		default: false,
	}),
};
