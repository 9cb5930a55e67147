/** `/new`: another session, with the same model. */
import { newSession as begin } from "@tau/session/run";

import type { SlashCommand } from "./command.ts";

export const newSession: SlashCommand = {
	name: "new",
	description: "Begin a new session; this one is kept",
	async run(_, host) {
		await begin(host.desk, undefined);
		host.notify("A new session.", "info");
	},
};
