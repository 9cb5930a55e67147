/** What rooms are on the screen: `/collab`, `/join`, `/leave`, and `/export` of a guest. */
import {
	collab as row,
	exportSession as exportRow,
	leave as leaveRow,
	type CollabData,
} from "@tau/session-commands/rows";
import { shortenHome } from "@tau/utils";

import { drawReply } from "../run-row.ts";
import { CollabLinksView } from "../views/collab-links.ts";
import type { SlashCommand } from "./command.ts";
import { showParticipants } from "./guest.ts";
import { onScreen } from "./on-screen.ts";

const ofOwner = onScreen(row, (reply, host) => {
	const { links = [], qr = [] } = (reply.data ?? {}) as Partial<CollabData>;
	if (reply.text === undefined || links.length === 0) return drawReply(reply, host);
	const addresses = links.flatMap(({ shownBrowser: shown, browser: url }) =>
		shown === undefined || url === undefined ? [] : [{ shown, url }],
	);
	host.print(new CollabLinksView(host.viewContext, { text: reply.text, links: addresses, code: qr }));
});

export const collab: SlashCommand = {
	...ofOwner,
	run: (args, host) => (host.guest ? showParticipants(host) : ofOwner.run(args, host)),
};

export const join: SlashCommand = {
	name: "join",
	group: "Session",
	argumentHint: "[omp] <link>",
	takesText: true,
	description: "Join a shared session",
	details:
		"The link is what /collab has printed for its host. Your own session continues meanwhile, and is back when you leave: /leave.",
	async run(args, host) {
		if (args === "") throw new Error("Usage: /join <link>");
		if (host.guest) throw new Error("Already in a collab session (/leave first)");
		if (!host.join)
			throw new Error("This terminal cannot be lent to another session. Use tau join in another one.");
		const { join: enter } = host;
		if ((await host.collab?.())?.status) throw new Error("Stop hosting first (/collab stop)");
		await host.tui.lend(() => enter(args));
	},
};

const stop = onScreen(leaveRow);

export const leave: SlashCommand = {
	...stop,
	run: (args, host) => (host.guest ? host.quit() : stop.run(args, host)),
};

const ofSession = onScreen(exportRow);

/** A guest exports its own copy, to its own machine. */
export const exportSession: SlashCommand = {
	...ofSession,
	async run(args, host) {
		if (!host.guest) return await ofSession.run(args, host);
		const path = await host.guest.exportTo(args === "" ? undefined : args);
		host.notify(`Exported to ${shortenHome(path)}.`, "success");
	},
};
