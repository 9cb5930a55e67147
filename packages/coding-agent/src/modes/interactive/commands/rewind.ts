/** `/rewind`: returns to before the user's last message, which is put back into the editor. Files are unchanged. */
import type { InteractiveHost } from "../host.ts";
import type { SlashCommand } from "./command.ts";
import { stepTo } from "./tree.ts";

export const rewind: SlashCommand = {
	name: "rewind",
	group: "Session",
	description: "Rewind to your last message and edit it (files are not restored)",
	async run(_, host) {
		const last = lastOwn(host);
		if (last === undefined) return host.notify("No messages yet.", "warning");
		await stepTo(host, last, host.log.getLeafId());
	},
};

/** The user's newest message on the path to the leaf; no more entries are read than needed. */
function lastOwn({ log }: InteractiveHost): string | undefined {
	return log.getBranchHeads().findLast(({ id, type }) => {
		const entry = type === "message" ? log.getEntry(id) : undefined;
		return entry?.type === "message" && entry.message.role === "user";
	})?.id;
}
