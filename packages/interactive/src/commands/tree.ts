/** `/tree` and `/rewind`: the lists in which the user chooses a point of the session. */
import { assertOutcome, type RewindPoint } from "@tau/session/host";
import type { CommandReply } from "@tau/wire";

import type { CommandTarget } from "@tau/session-commands";
import {
	goBack,
	redo,
	rewind as rewindRow,
	tree as treeRow,
	type TreeListEntry,
} from "@tau/session-commands/rows";
import { restoreChoice, type PreviewRestore, restoreDiff, stepTo } from "@tau/session-commands/work";
import type { InteractiveHost } from "../host.ts";
import { plain } from "../selectors/kit/row.ts";
import { openSelector } from "../selectors/open.ts";
import { planSelector, rewindSelector } from "../selectors/rewind/selector.ts";
import { TreeSelector } from "../selectors/tree/selector.ts";
import { drawReply, withTarget } from "../run-row.ts";
import { onScreen } from "./on-screen.ts";

export const tree = onScreen(treeRow, {
	pick(data) {
		const { entries = [] } = (data ?? {}) as { entries?: readonly TreeListEntry[] };
		const choices = entries
			.toReversed()
			.map(({ id, head, text }) => ({ value: id, label: `${head} ${text}` }));
		return { title: "Continue from which entry?", choices };
	},
	open(args, host) {
		if (args !== "") return false;
		openTree(host);
		return true;
	},
});

export function openTree(host: InteractiveHost, selected?: string): void {
	openSelector(host, (screen, close) => {
		const selector = new TreeSelector(screen, {
			log: host.log,
			filter: host.settings.get("treeFilterMode"),
			...(selected === undefined ? {} : { selected }),
			setLabel: (entryId, label) =>
				void host.sessionHost.apply({ type: "label", entryId, label }).then(assertOutcome),
			onChoose: (id, leafId) => {
				close();
				const preview = previewOn(host);
				return stepped(host, id, (target) => stepTo(target, id, { leafId, preview }));
			},
			close,
		});
		return { component: selector.component, owns: selector };
	});
}

/** The list is closed by now: the transcript is where a failure is seen. */
async function stepped(
	host: InteractiveHost,
	id: string,
	step: (target: CommandTarget) => Promise<CommandReply | "back">,
): Promise<void> {
	try {
		const outcome = await withTarget(host, step);
		if (outcome === "back") return openTree(host, id);
		drawReply(outcome, host);
		host.tui.requestRender();
	} catch (error) {
		host.notify(error instanceof Error ? error.message : String(error), "error");
	}
}

export const rewind = onScreen(rewindRow, {
	pick(data) {
		const { points = [] } = (data ?? {}) as { points?: readonly RewindPoint[] };
		const choices = points.map(({ entryId, text }) => ({ value: entryId, label: plain(text) }));
		return { title: "Go back to before which message?", choices };
	},
	async open(args, host) {
		if (args === "redo") await redoOnScreen(host);
		return args === "redo" || (args === "" && (await openRewind(host)));
	},
});

/** False if there is nothing to go back to. */
async function openRewind(host: InteractiveHost): Promise<boolean> {
	const points = (await host.sessionHost.rewind.points()).toReversed();
	if (points.length === 0) return false;
	const last = await host.sessionHost.rewind.previewRedo();
	const canRedo = last !== undefined && last.files.length > 0;
	openSelector(host, (screen, close) => ({
		component: rewindSelector(screen, {
			points,
			canRedo,
			choose: (point) => goBackTo(host, point),
			redo: () => redoOnScreen(host),
			close,
		}),
	}));
	return true;
}

async function goBackTo(host: InteractiveHost, { entryId }: RewindPoint): Promise<void> {
	let isLeft = false;
	await stepped(host, entryId, async (target) => {
		const plan = await host.sessionHost.rewind.preview(entryId);
		const choice = await restoreChoice(target, plan, "rewind", previewOn(host));
		isLeft = choice === undefined;
		return choice ? await goBack(target, entryId, choice) : {};
	});
	if (isLeft) await openRewind(host);
}

async function redoOnScreen(host: InteractiveHost): Promise<void> {
	try {
		drawReply(await withTarget(host, (target) => redo(target, previewOn(host))), host);
	} catch (error) {
		host.notify(error instanceof Error ? error.message : String(error), "error");
	}
}

/** The diffs of all files, in a list. */
function previewOn(host: InteractiveHost): PreviewRestore {
	return async ({ files }) => {
		const { rewind: history } = host.sessionHost;
		const shown = openSelector(host, (screen, close) => ({
			component: planSelector(screen, { files, diffOf: (file) => restoreDiff(history, file), close }),
		}));
		await shown.closed;
	};
}
