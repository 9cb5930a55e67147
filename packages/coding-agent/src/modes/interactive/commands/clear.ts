/** `/clear`: the model forgets what was said; the session goes on. */
import type { SlashCommand } from "./command.ts";

export const clear: SlashCommand = {
	name: "clear",
	description: "Let the model forget what was said; the log keeps it",
	async run(_, host) {
		await host.sessionHost.move({
			to: "branch",
			change: () => void host.log.append({ type: "reset_boundary" }),
		});
		host.notify("The model begins anew; what was said is still in the log.", "info");
	},
};
