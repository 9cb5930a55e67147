/** Settings about the commands that models run. */
import { limits } from "../limits.ts";
import { count, groups, text, toggle } from "../setting.ts";

export const bash = {
	"async.enabled": toggle({
		description: "Let the model run commands in the background, as jobs.",
		default: true,
		notForProjects: "it controls what the model may do",
	}),
	"async.wake": toggle({
		description: "Resume the model automatically when its background job ends while nothing is running.",
		default: true,
		notForProjects: "it controls what the model may do",
	}),
	"bash.enabled": toggle({
		description: "Give the model the bash tool. Your own commands (!) work either way.",
		default: true,
		notForProjects: "it controls what the model may do",
	}),
	"bash.timeoutSeconds": count(
		{ least: 1, most: limits.bashTimeoutMaxSeconds, unit: "s" },
		{
			description: "How long a command may run if the model sets no timeout.",
			default: limits.bashTimeoutSeconds,
			fixed: true,
		},
	),
	"bash.autoBackground.enabled": toggle({
		description: "Turn a long-running command into a background job, so that the model can continue.",
		default: false,
		notForProjects: "a command was judged without those that would run beside it",
	}),
	"bash.autoBackground.thresholdMs": count(
		{ least: 1, most: 3_600_000, unit: "ms" },
		{
			description: "How long a command runs before it becomes a background job.",
			default: 60_000,
			notForProjects: "a command was judged without those that would run beside it",
		},
	),
	"bash.minimizer": toggle({
		description:
			"Shorten runs of progress lines in the output of commands that the model reads: steps of installers and compilers, passing tests. All of it stays in an artifact.",
		default: true,
	}),
	"bash.rcSnapshot": toggle({
		description: "Make the functions and aliases of your ~/.bashrc available to commands.",
		default: true,
		fixed: true,
		notForProjects: "it controls what runs",
	}),
	"bashInterceptor.enabled": toggle({
		description: "Reject commands that have a better tool, such as cat and grep, and name the tool.",
		default: false,
	}),
	"bashInterceptor.patterns": groups(["pattern", "tool"], {
		description:
			"Your own rules for bashInterceptor.enabled, tried first: pattern is a regular expression, tool the better tool, message what the model reads.",
		notForProjects: "it controls what the model may do",
	}),
	shellPath: text({
		description: "The bash that runs commands, as an absolute path. Unset: the first one on PATH.",
		default: undefined,
		fixed: true,
		notForProjects: "it controls what runs",
	}),
	shellCommandPrefix: text({
		description:
			"A line that runs before every command, the model's and yours (!), such as source ~/.venv/bin/activate. TAU_SHELL_PREFIX is put before the command itself.",
		default: undefined,
		notForProjects: "it controls what runs",
	}),
};
