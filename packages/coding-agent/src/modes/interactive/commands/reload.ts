/** `/reload`: settings, keys and themes as the files have them now. */
import type { SlashCommand } from "./command.ts";

export const reload: SlashCommand = {
	name: "reload",
	description: "Read settings, keys and themes again",
	async run(_, host) {
		const problems = await host.reload();
		for (const problem of problems) host.notify(problem, "warning");
		if (problems.length === 0) host.notify("Settings, keys and themes were read again.", "success");
	},
};
