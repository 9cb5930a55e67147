/** `/rewind`: goes back to before one of the user's messages, with the conversation, the files, or both. */
import type { RewindPoint } from "@tau/session/host";

import type { InteractiveHost } from "../host.ts";
import { openSelector } from "../selectors/open.ts";
import { rewindSelector } from "../selectors/rewind/selector.ts";
import type { SlashCommand } from "./command.ts";
import { restoreChoice, restoreChosen } from "./restore.ts";
import { stepTo } from "./tree.ts";

export const rewind: SlashCommand = {
	name: "rewind",
	group: "Session",
	argumentHint: "[redo]",
	words: ["redo"],
	description: "Go back to one of your messages: conversation, files, or both",
	details:
		"Lists your messages with the files that changed since. /rewind redo brings back what the last rewind replaced.",
	async run(args, host) {
		if (args === "redo") return await redo(host);
		if (args !== "") throw new Error(`Unknown argument "${args}". Use /rewind or /rewind redo.`);
		await openRewind(host);
	},
};

async function openRewind(host: InteractiveHost): Promise<void> {
	const points = (await host.sessionHost.rewind.points()).toReversed();
	if (points.length === 0) return host.notify("No messages yet.", "warning");
	const last = await host.sessionHost.rewind.previewRedo();
	const canRedo = last !== undefined && last.files.length > 0;
	openSelector(host, (screen, close) => ({
		component: rewindSelector(screen, {
			points,
			canRedo,
			choose: (point) => goBack(host, point),
			redo: () => redo(host),
			close,
		}),
	}));
}

async function goBack(host: InteractiveHost, { entryId }: RewindPoint): Promise<void> {
	try {
		const plan = await host.sessionHost.rewind.preview(entryId);
		const choice = await restoreChoice(host, plan, "rewind");
		if (!choice) return await openRewind(host);
		if (choice.scope === "files") return await restoreChosen(host, choice, "stays");
		await stepTo(host, entryId, host.log.getLeafId(), choice);
	} catch (error) {
		host.notify(error instanceof Error ? error.message : String(error), "error");
	}
}

async function redo(host: InteractiveHost): Promise<void> {
	try {
		const plan = await host.sessionHost.rewind.previewRedo();
		if (!plan || plan.files.length === 0) return host.notify("Nothing to redo.", "warning");
		const choice = await restoreChoice(host, plan, "redo");
		if (choice) await restoreChosen(host, choice, "stays");
	} catch (error) {
		host.notify(error instanceof Error ? error.message : String(error), "error");
	}
}
