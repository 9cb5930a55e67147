/** `/fork` and `/branch`: the list of messages from which a new session continues. */
import type { CommandReply } from "@tau/wire";

import { branch as branchRow, fork as forkRow, type MessagesData } from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import { messageSelector } from "../selectors/messages/selector.ts";
import { openSelector } from "../selectors/open.ts";
import { drawReply, runRow } from "../run-row.ts";
import type { SlashCommand } from "./command.ts";
import { onScreen } from "./on-screen.ts";
import { tree } from "./tree.ts";

export const fork = onScreen(forkRow, (reply, host) => {
	show(reply, host, { title: "Fork the session", whole: "The whole session" });
});

const branchOnScreen = onScreen(branchRow, (reply, host) => {
	show(reply, host, { title: "Branch from one of your messages" });
});

export const branch: SlashCommand = {
	...branchOnScreen,
	run: (args, host) =>
		args === "" && host.settings.get("doubleEscape") !== "branch"
			? tree.run("", host)
			: branchOnScreen.run(args, host),
};

/** The list, where the reply has one. */
function show(reply: CommandReply, host: InteractiveHost, about: { title: string; whole?: string }): void {
	const { messages } = (reply.data ?? {}) as Partial<MessagesData>;
	if (!messages) return drawReply(reply, host);
	const from = async (message: string): Promise<void> => void (await runRow(forkRow, message, host));
	openSelector(host, (screen, close) => ({
		component: messageSelector(screen, {
			...about,
			messages,
			choose: ({ entryId }) => from(entryId),
			chooseWhole: () => from("all"),
			close,
		}),
	}));
}
