/** `/fork` and `/branch`: go on from an earlier message, or from all of them, in a new session. */
import type { InteractiveHost } from "../host.ts";
import { messageSelector } from "../selectors/messages/selector.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";
import { openTree } from "./tree.ts";

export const fork: SlashCommand = {
	name: "fork",
	description: "Go on in a copy of this session, whole or from one of your messages",
	run(_, host) {
		if (host.log.getLeafId() === null) return host.notify("There is nothing to fork yet.", "warning");
		openSelector(host, (screen, close) => ({
			component: messageSelector(screen, {
				title: "Fork the session",
				messages: host.sessionHost.forkMessages().toReversed(),
				whole: "All of it, as it is",
				choose: ({ entryId }) => from(host, entryId),
				chooseWhole: async () => {
					const { kind } = await host.sessionHost.move({ to: "copy" });
					if (kind === "cancelled") return host.notify("An extension said no.", "warning");
					host.notify("You are in a copy; the session itself stays as it is.", "success");
				},
				close,
			}),
		}));
	},
};

export const branch: SlashCommand = {
	name: "branch",
	description: "Go on from one of your messages in a new session; with doubleEscape: tree, /tree",
	run(_, host) {
		if (host.settings.get("doubleEscape") === "tree") return openTree(host);
		const messages = host.sessionHost.forkMessages().toReversed();
		if (messages.length === 0) return host.notify("You have said nothing yet.", "warning");
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

/** What was said there stands in the editor again. */
async function from(host: InteractiveHost, entryId: string): Promise<void> {
	const outcome = await host.sessionHost.move({ to: "fork", entryId, position: "before" });
	if (outcome.kind === "cancelled") return host.notify("An extension said no.", "warning");
	host.editor.setText(outcome.text ?? "");
}
