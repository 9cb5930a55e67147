/** `/reload`: settings, keys, themes and extensions as the files have them now. */
import type { SlashCommand } from "./command.ts";

export const reload: SlashCommand = {
	name: "reload",
	description: "Read settings, keys, themes and extensions again",
	async run(_, host) {
		const problems = await host.reload();
		for (const problem of problems) host.notify(problem, "warning");
		if (problems.length === 0)
			host.notify("Settings, keys, themes and extensions were read again.", "success");
	},
};
