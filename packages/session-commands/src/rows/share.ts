/** `/share` and `/unshare`: the session as a link that others read, after the user has seen what leaves. */
import { UserError } from "@tau/session/run";
import { errorText } from "@tau/utils";

import { reply, valueItems, type SessionCommand } from "../command.ts";
import details from "./share.md" with { type: "text" };

const words = ["preview", "yes", "list"] as const;

export const share: SessionCommand = {
	name: "share",
	group: "Session",
	argumentHint: "[preview|yes|list]",
	words,
	description: "Share the session as a link (shows first what leaves)",
	details: details.trim(),
	right: "control",
	complete: (prefix) =>
		valueItems(
			words.map((value) => ({ value })),
			prefix,
			undefined,
		),
	async run(args, target) {
		const word = args.replace(/^--/, "");
		if (word !== "" && !words.some((each) => each === word))
			throw new UserError("Usage: /share [preview|yes|list]");
		// The rules of secrets, the seal and the page are read when something is shared.
		const { listed, shareWith } = await import("../work/share.ts");
		if (word === "list") return listed();
		if (target.host.log.getLeafId() === null) return reply("Nothing to share yet.", "warning");
		try {
			return await shareWith(word, target);
		} catch (error) {
			throw new UserError(errorText(error));
		}
	},
};

export const unshare: SessionCommand = {
	name: "unshare",
	group: "Session",
	argumentHint: "[id]",
	description: "Delete what /share has uploaded",
	details:
		"Without an id, the newest share of this session. The link stops working at once. /share list shows all.",
	right: "control",
	async run(args, { host: { log }, signal }) {
		const { findShare, listShares, removeShare } = await import("@tau/session/share");
		try {
			const own = listShares().find(({ sessionId }) => sessionId === log.getSessionId());
			const record = args === "" ? own : findShare(args);
			if (!record) return reply("This session is not shared. /share list shows all shares.", "warning");
			await removeShare(record, signal);
			return {
				...reply(`Deleted ${record.address}. The link does not work any more.`, "success"),
				data: { id: record.id },
			};
		} catch (error) {
			throw new UserError(errorText(error));
		}
	},
};
