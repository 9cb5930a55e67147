/** `/name`: what the session is called. */
import type { SlashCommand } from "./command.ts";

export const name: SlashCommand = {
	name: "name",
	argumentHint: "[name]",
	description: "Name the session, or tell its name",
	async run(args, host) {
		if (args === "")
			return host.notify(host.log.getSessionName() ?? "The session has no name yet: /name <name>");
		await host.sessionHost.apply({ type: "name", name: args });
		host.notify(`The session is called ${args}.`, "success");
	},
};
