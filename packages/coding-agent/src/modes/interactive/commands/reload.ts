/** `/reload`: settings, keys, themes and extensions as the files have them now. */
import type { SlashCommand } from "./command.ts";

export const reload: SlashCommand = {
	name: "reload",
	group: "Setup",
	description: "Reload settings, keybindings, themes and extensions",
	async run(_, host) {
		const problems = await host.reload();
		for (const problem of problems) host.notify(problem, "warning");
		if (problems.length === 0)
			host.notify("Reloaded settings, keybindings, themes and extensions.", "success");
	},
};
