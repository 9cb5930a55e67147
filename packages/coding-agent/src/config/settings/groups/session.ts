/** Settings about where sessions are kept, how they are called, and the commands that they run. */
import { limits as tools } from "../../../tools/limits.ts";
import { count, text } from "../setting.ts";

export const session = {
	sessionDir: text({
		description:
			"Where sessions are kept; ~ is the home directory, and a relative path counts from the current one. --session-dir comes first. Not set, they lie below the agent directory.",
		default: undefined,
		fixed: true,
		notForProjects: "it decides where files are written",
	}),
	"bash.timeoutSeconds": count(
		{ least: 1, most: tools.bashTimeoutMaxSeconds, unit: "s" },
		{
			description: "How long a command may run when the model does not say.",
			default: tools.bashTimeoutSeconds,
			fixed: true,
		},
	),
};
