/** `/clear`: clears the model's context; the session continues. */
import type { SlashCommand } from "./command.ts";

export const clear: SlashCommand = {
	name: "clear",
	description: "Clear the context (history stays in the session file)",
	async run(_, host) {
		await host.sessionHost.move({
			to: "branch",
			change: () => void host.log.append({ type: "reset_boundary" }),
		});
		host.notify("Context cleared. Earlier messages are still in /tree.", "info");
	},
};
