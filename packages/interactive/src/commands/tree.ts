/** `/tree` and `/rewind`: the lists in which the user chooses a point of the session. */
import type { CommandReply } from "@tau/wire";

import type { SessionCommand } from "@tau/session-commands";
import {
	rewind as rewindRow,
	tree as treeRow,
	type BackData,
	type RewindData,
} from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import { openSelector } from "../selectors/open.ts";
import { rewindSelector } from "../selectors/rewind/selector.ts";
import { TreeSelector } from "../selectors/tree/selector.ts";
import { drawReply, quietReply, runRow } from "../run-row.ts";
import type { SlashCommand } from "./command.ts";
import { onScreen } from "./on-screen.ts";

export const tree: SlashCommand = {
	...onScreen(treeRow),
	run: (args, host) => (args === "" ? openTree(host) : runRow(treeRow, args, host)),
};

function openTree(host: InteractiveHost, selected?: string): void {
	const { client } = host;
	openSelector(host, (screen, close) => {
		const selector = new TreeSelector(screen, {
			entriesAfter: (id, limit) => host.entriesAfter(id, limit),
			leafId: () => client.view.tail.leafId,
			filter: host.settings.get("treeFilterMode"),
			...(selected === undefined ? {} : { selected }),
			setLabel: async (entryId, label) =>
				void (await quietReply(treeRow, `label ${entryId} ${label}`.trim(), host)),
			onChoose: (id) => {
				close();
				return goTo(host, treeRow, id, () => openTree(host, id));
			},
			close,
		});
		return { component: selector.component, owns: selector };
	});
}

/** The list is closed by now: the transcript is where a failure is seen. */
async function goTo(
	host: InteractiveHost,
	row: SessionCommand,
	words: string,
	onBack: () => void | Promise<void>,
): Promise<void> {
	try {
		await runRow(row, words, host, (reply) => (isBack(reply) ? onBack() : drawReply(reply, host)));
		host.tui.requestRender();
	} catch (error) {
		host.notify(error instanceof Error ? error.message : String(error), "error");
	}
}

function isBack({ data }: CommandReply): boolean {
	return ((data ?? {}) as Partial<BackData>).isBack === true;
}

export const rewind = onScreen(rewindRow, (reply, host) => {
	if (!isBack(reply)) showPoints(host, reply);
});

function showPoints(host: InteractiveHost, reply: CommandReply): void {
	const { points, canRedo = false } = (reply.data ?? {}) as Partial<RewindData>;
	if (!points) return drawReply(reply, host);
	openSelector(host, (screen, close) => ({
		component: rewindSelector(screen, {
			points,
			canRedo,
			choose: ({ entryId }) => goTo(host, rewindRow, entryId, () => showPoints(host, reply)),
			redo: () => goTo(host, rewindRow, "redo", () => {}),
			close,
		}),
	}));
}
