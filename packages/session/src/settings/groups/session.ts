/** Settings about where sessions are kept, how they are called, and the commands that they run. */

import { limits } from "../limits.ts";
import { count, text, toggle } from "../setting.ts";

export const session = {
	sessionDir: text({
		description:
			"Where sessions are kept; ~ is the home directory, and a relative path counts from the current one. --session-dir comes first. Not set, they lie below the agent directory.",
		default: undefined,
		fixed: true,
		notForProjects: "it decides where files are written",
	}),
	sessionTitle: toggle({
		description:
			"Name a new session after its first exchange, with one request to the model of the role smol. Print mode never does; TAU_NO_TITLE turns it off too.",
		default: true,
		fixed: true,
		notForProjects: "it decides what is spent",
	}),
	"bash.timeoutSeconds": count(
		{ least: 1, most: limits.bashTimeoutMaxSeconds, unit: "s" },
		{
			description: "How long a command may run when the model does not say.",
			default: limits.bashTimeoutSeconds,
			fixed: true,
		},
	),
};
