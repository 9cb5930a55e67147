/** `/rewind`: back to before the last message of the person, which stands in the editor again. Files stay as they are. */
import type { InteractiveHost } from "../host.ts";
import type { SlashCommand } from "./command.ts";
import { stepTo } from "./tree.ts";

export const rewind: SlashCommand = {
	name: "rewind",
	description: "Rewind to your last message and edit it (files are not restored)",
	async run(_, host) {
		const last = lastOwn(host);
		if (last === undefined) return host.notify("No messages yet.", "warning");
		await stepTo(host, last, host.log.getLeafId());
	},
};

/** The newest message of the person on the way to the leaf; only as many entries are read as it takes. */
function lastOwn({ log }: InteractiveHost): string | undefined {
	return log.getBranchHeads().findLast(({ id, type }) => {
		const entry = type === "message" ? log.getEntry(id) : undefined;
		return entry?.type === "message" && entry.message.role === "user";
	})?.id;
}
