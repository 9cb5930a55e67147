/** `/name`: what the session is called. */
import type { SlashCommand } from "./command.ts";

export const name: SlashCommand = {
	name: "name",
	aliases: ["rename"],
	group: "Session",
	argumentHint: "[name]",
	description: "Show or set the session name",
	async run(args, host) {
		if (args === "")
			return host.notify(
				host.log.getSessionName() === undefined
					? "This session has no name. Set one with /name <name>."
					: `This session is called "${host.log.getSessionName()}".`,
			);
		await host.sessionHost.apply({ type: "name", name: args });
		host.notify(`Session renamed to "${args}".`, "success");
	},
};
