/** `/fork` and `/branch`: continue from an earlier message, or from all of them, in a new session. */
import type { InteractiveHost } from "../host.ts";
import { messageSelector } from "../selectors/messages/selector.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";
import { openTree } from "./tree.ts";

export const fork: SlashCommand = {
	name: "fork",
	group: "Session",
	description: "Fork this session (whole, or from a message)",
	run(_, host) {
		if (host.log.getLeafId() === null) return host.notify("Nothing to fork yet.", "warning");
		openSelector(host, (screen, close) => ({
			component: messageSelector(screen, {
				title: "Fork the session",
				messages: host.sessionHost.forkMessages().toReversed(),
				whole: "The whole session",
				choose: ({ entryId }) => from(host, entryId),
				chooseWhole: async () => {
					if (await host.move({ to: "copy" }))
						host.notify("Forked. The original session is unchanged.", "success");
				},
				close,
			}),
		}));
	},
};

export const branch: SlashCommand = {
	name: "branch",
	group: "Session",
	description: "Branch from an earlier message",
	run(_, host) {
		if (host.settings.get("doubleEscape") === "tree") return openTree(host);
		const messages = host.sessionHost.forkMessages().toReversed();
		if (messages.length === 0) return host.notify("No messages yet.", "warning");
		openSelector(host, (screen, close) => ({
			component: messageSelector(screen, {
				title: "Branch from one of your messages",
				messages,
				choose: ({ entryId }) => from(host, entryId),
				close,
			}),
		}));
	},
};

/** The message at that entry is put back into the editor. */
async function from(host: InteractiveHost, entryId: string): Promise<void> {
	const moved = await host.move({ to: "fork", entryId, position: "before" });
	if (moved) host.editor.setText(moved.text ?? "");
}
