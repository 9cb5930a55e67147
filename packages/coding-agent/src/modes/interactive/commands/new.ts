/** `/new`: another session, with the same model. */
import type { SlashCommand } from "./command.ts";

export const newSession: SlashCommand = {
	name: "new",
	description: "Begin a new session; this one is kept",
	async run(_, host) {
		await host.replaceSession(() => void host.log.newSession());
		host.notify("A new session.", "info");
	},
};
