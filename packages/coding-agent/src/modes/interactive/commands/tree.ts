/** `/tree`: continues from any entry of the session, in the same file. */
import { keepPaid, summaryOptionsOf } from "@tau/extensions/api";
import { userTextOf, type BranchSummary, type SessionEntry } from "@tau/session";
import { BorderedLoader } from "@tau/tui";
import { isAbort } from "@tau/utils";

import { navigation, type Navigation } from "../../../session-commands/work/navigate.ts";
import { TreeSelector } from "../selectors/tree/selector.ts";
import type { InteractiveHost } from "../host.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";
import { restoreChoice, restoreChosen, type RestoreChoice } from "./restore.ts";

type Move = Extract<Navigation, { kind: "move" }>;

/** The user's choice for the branch that is left; `back` returns to the tree. */
type SummaryChoice = { summarize: boolean; customInstructions?: string } | "back";

/** The result of the extensions for the navigation. */
type SummaryText = Awaited<ReturnType<NonNullable<InteractiveHost["treeExtensions"]>["beforeTree"]>>;

interface Summary {
	summary: string;
	details?: unknown;
	paid?: BranchSummary["paid"];
	/** An extension has written it. */
	isForeign: boolean;
}

export const tree: SlashCommand = {
	name: "tree",
	group: "Session",
	description: "Browse the session tree and continue from any point",
	details:
		"Shows every branch of the session. Enter continues from the selected entry; what followed it stays as another branch.",
	run: (_, host) => openTree(host),
};

export function openTree(host: InteractiveHost, selected?: string): void {
	openSelector(host, (screen, close) => {
		const selector = new TreeSelector(screen, {
			log: host.log,
			filter: host.settings.get("treeFilterMode"),
			...(selected === undefined ? {} : { selected }),
			setLabel: (id, label) => void host.log.appendLabelChange(id, label),
			onChoose: (id, leafId) => {
				close();
				return stepTo(host, id, leafId);
			},
			close,
		});
		return { component: selector.component, owns: selector };
	});
}

/** Continues from an entry, as the tree does when it is selected there. Asks about its files unless `files` says. */
export async function stepTo(
	host: InteractiveHost,
	id: string,
	leafId: string | null,
	files?: RestoreChoice,
): Promise<void> {
	try {
		const step = navigation(host.log, id, leafId);
		if (step.kind === "stay") return host.notify("Already at this point.");
		const restore = files ?? (await restoreChoice(host, await host.sessionHost.rewind.preview(id), "branch"));
		if (!restore) return openTree(host, id);
		const choice = await summaryChoice(host, step);
		if (choice === "back") return openTree(host, id);
		host.expectRequest();
		const answer: SummaryText = (await host.treeExtensions?.beforeTree(id, choice)) ?? {};
		if (answer.cancel) return host.notify("Cancelled by an extension.", "warning");
		const summary = await summaryOf(host, step, choice, answer);
		if (summary === "stopped") return openTree(host, id);
		const moved = await go(host, step, summary);
		if (!moved) return;
		if (answer.label !== undefined) host.log.appendLabelChange(moved.summaryId ?? id, answer.label);
		if (restore.scope === "both") await restoreChosen(host, restore, "moved");
	} catch (error) {
		// The list is closed by now: the transcript is where it is seen.
		host.notify(error instanceof Error ? error.message : String(error), "error");
	}
}

/** The options of an extension override those of the user. */
async function summaryOf(
	host: InteractiveHost,
	{ left }: Move,
	choice: Exclude<SummaryChoice, "back">,
	answer: SummaryText,
): Promise<Summary | undefined | "stopped"> {
	if (!choice.summarize) return undefined;
	if (answer.summary) return { ...answer.summary, isForeign: true };
	const made = await summarizing(host, answer.entriesToSummarize ?? left, summaryOptionsOf(choice, answer));
	return made && made !== "stopped" ? { ...made, isForeign: false } : made;
}

/** Gives the id of the summary, where there is one; undefined if the user stays. */
async function go(
	host: InteractiveHost,
	{ to, prefill }: Move,
	summary: Summary | undefined,
): Promise<{ summaryId: string | undefined } | undefined> {
	const oldLeafId = host.log.getLeafId();
	// What was queued belongs to the branch that is left; the user's own words are not lost.
	const queued = host.session.clearQueues().filter(({ role }) => role === "user");
	let summaryId: string | undefined;
	const change = (): void => {
		const { log } = host;
		if (summary) summaryId = log.branchWithSummary(to, summary.summary, summary.details, summary.isForeign);
		else if (to === null) log.resetLeaf();
		else log.branch(to);
		keepPaid(log, summary?.paid);
	};
	if (!(await host.move({ to: "branch", change }))) return undefined;
	const fromExtension = summary?.isForeign ?? false;
	await host.treeExtensions?.afterTree({ oldLeafId, summaryId, fromExtension });
	const texts = [prefill ?? "", ...queued.map(userTextOf)].filter((text) => text !== "");
	if (prefill !== undefined || texts.length > 0) host.editor.setText(texts.join("\n\n"));
	host.tui.requestRender();
	return { summaryId };
}

/** Asks whether to summarize the branch that is left, if the setting is on and the branch has messages. */
async function summaryChoice(host: InteractiveHost, { left }: Move): Promise<SummaryChoice> {
	if (!host.settings.get("branchSummary.enabled") || !left.some(({ type }) => type === "message"))
		return { summarize: false };
	for (;;) {
		const choice = await host.ask.select("Summarize the branch you are leaving?", [
			{ value: "no", label: "No summary" },
			{ value: "yes", label: "Summarize" },
			{ value: "custom", label: "Summarize with custom prompt" },
		]);
		if (choice === undefined) return "back";
		if (choice !== "custom") return { summarize: choice === "yes" };
		const customInstructions = await host.ask.input("What should the summary focus on?");
		if (customInstructions !== undefined) return { summarize: true, customInstructions };
	}
}

type Made = Awaited<ReturnType<InteractiveHost["session"]["summarizeBranch"]>>;

/**
 * Shows a loader while the branch is summarized; Escape cancels. Resolves with `stopped` if the user cancelled, and
 * rejects with the reason if the model failed.
 */
async function summarizing(
	host: InteractiveHost,
	entries: readonly SessionEntry[],
	options: { instructions?: string; replacesPrompt?: boolean },
): Promise<Made | "stopped"> {
	const stop = new AbortController();
	using loader = new BorderedLoader(host.tui, host.theme.current, "Summarizing the branch…");
	const shown = host.showInEditor(loader, { onCancel: () => stop.abort() });
	try {
		return await host.session.summarizeBranch(entries, { signal: stop.signal, ...options });
	} catch (error) {
		if (stop.signal.aborted || isAbort(error)) return "stopped";
		throw error;
	} finally {
		shown.close();
	}
}
