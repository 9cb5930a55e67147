/** `/clone`: continues in a copy of this branch; the session stays unchanged. */
import type { SlashCommand } from "./command.ts";

export const clone: SlashCommand = {
	name: "clone",
	group: "Session",
	description: "Continue in a copy of this branch",
	async run(_, host) {
		if (host.log.getLeafId() === null) return host.notify("Nothing to clone yet.", "warning");
		const { kind } = await host.sessionHost.move({ to: "fork", position: "at" });
		if (kind === "cancelled") return host.notify("Cancelled by an extension.", "warning");
		host.notify("Cloned. The original session is unchanged.", "success");
	},
};
