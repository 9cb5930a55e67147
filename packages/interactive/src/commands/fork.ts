/** `/fork` and `/branch`: the list of messages from which a new session continues. */
import { branch as branchRow, fork as forkRow } from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import { plain } from "../selectors/kit/row.ts";
import { messageSelector } from "../selectors/messages/selector.ts";
import { openSelector } from "../selectors/open.ts";
import { runRow } from "../run-row.ts";
import { onScreen, type PickList } from "./on-screen.ts";
import { openTree } from "./tree.ts";

/** The messages of a session that runs elsewhere. */
function pickMessage(title: string, data: unknown): PickList {
	const { messages = [] } = (data ?? {}) as { messages?: readonly { entryId: string; text: string }[] };
	const choices = messages.map(({ entryId, text }) => ({ value: entryId, label: plain(text) }));
	return { title, choices };
}

export const fork = onScreen(forkRow, {
	pick(data) {
		const { title, choices } = pickMessage("Fork the session", data);
		return { title, choices: [{ value: "all", label: "The whole session" }, ...choices] };
	},
	open(args, host) {
		if (args !== "" || host.log.getLeafId() === null) return false;
		openSelector(host, (screen, close) => ({
			component: messageSelector(screen, {
				title: "Fork the session",
				messages: host.sessionHost.forkMessages().toReversed(),
				whole: "The whole session",
				choose: ({ entryId }) => from(host, entryId),
				chooseWhole: () => from(host, "all"),
				close,
			}),
		}));
		return true;
	},
});

export const branch = onScreen(branchRow, {
	pick: (data) => pickMessage("Branch from one of your messages", data),
	open(args, host) {
		const messages = host.sessionHost.forkMessages().toReversed();
		const isTree = host.settings.get("doubleEscape") === "tree";
		if (args !== "" || (messages.length === 0 && !isTree)) return false;
		if (isTree) {
			openTree(host);
			return true;
		}
		openSelector(host, (screen, close) => ({
			component: messageSelector(screen, {
				title: "Branch from one of your messages",
				messages,
				choose: ({ entryId }) => from(host, entryId),
				close,
			}),
		}));
		return true;
	},
});

async function from(host: InteractiveHost, message: string): Promise<void> {
	await runRow(forkRow, message, host);
}
