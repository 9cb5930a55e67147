/** `/new`: another session, with the same model. */
import type { SlashCommand } from "./command.ts";

export const newSession: SlashCommand = {
	name: "new",
	group: "Session",
	description: "Start a new session",
	async run(_, host) {
		const { kind } = await host.sessionHost.move({ to: "new" });
		if (kind === "moved") host.notify("Started a new session.", "info");
		else host.notify("Cancelled by an extension.", "warning");
	},
};
