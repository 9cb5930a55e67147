/** `/clone`: continues in a copy of this branch; the session stays unchanged. */
import type { SlashCommand } from "./command.ts";

export const clone: SlashCommand = {
	name: "clone",
	group: "Session",
	description: "Continue in a copy of this branch",
	async run(_, host) {
		if (host.log.getLeafId() === null) return host.notify("Nothing to clone yet.", "warning");
		if (await host.move({ to: "fork", position: "at" }))
			host.notify("Cloned. The original session is unchanged.", "success");
	},
};
