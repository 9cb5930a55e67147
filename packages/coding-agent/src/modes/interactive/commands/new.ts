/** `/new`: another session, with the same model. */
import type { SlashCommand } from "./command.ts";

export const newSession: SlashCommand = {
	name: "new",
	description: "Begin a new session; this one is kept",
	async run(_, host) {
		const { kind } = await host.sessionHost.move({ to: "new" });
		if (kind === "moved") host.notify("A new session.", "info");
		else host.notify("An extension said no.", "warning");
	},
};
