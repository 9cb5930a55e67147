/** `/new`: another session, with the same model. */
import type { SlashCommand } from "./command.ts";

export const newSession: SlashCommand = {
	name: "new",
	group: "Session",
	description: "Start a new session",
	async run(_, host) {
		if (await host.move({ to: "new" })) host.notify("Started a new session.", "info");
	},
};
