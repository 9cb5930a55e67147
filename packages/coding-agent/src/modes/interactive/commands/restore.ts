/** Asks what a step back restores, shows it first, and never overwrites the user's own changes without a yes. */
import type { RewindScope } from "@tau/session/host";
import type { PlannedFile, RestorePlan } from "@tau/session/journal";

import { BorderedLoader } from "@tau/tui";

import {
	conflictReasons,
	counted,
	listed,
	named,
	outcomeInWords,
	restoreDiff,
	restoredPaths,
	staleInWords,
} from "../../../session-commands/work/restore-preview.ts";
import type { Choice, InteractiveHost } from "../host.ts";
import { openSelector } from "../selectors/open.ts";
import { planSelector } from "../selectors/rewind/selector.ts";

/** What the user wants back, and which conflicts are overwritten. */
export interface RestoreChoice {
	scope: RewindScope;
	plan: RestorePlan;
	overwrite(file: PlannedFile): boolean;
}

export type RestoreQuestion = "rewind" | "branch" | "redo";

/** Undefined if the user goes back. Without files to restore nothing is asked. */
export async function restoreChoice(
	host: InteractiveHost,
	plan: RestorePlan,
	question: RestoreQuestion,
): Promise<RestoreChoice | undefined> {
	if (plan.files.length === 0) return { scope: "conversation", plan, overwrite: () => false };
	for (;;) {
		const scope = await host.ask.select(titles[question], choicesOf(question, plan));
		if (scope === undefined) return undefined;
		if (scope === "preview") {
			await preview(host, plan);
			continue;
		}
		if (scope === "conversation") return { scope, plan, overwrite: () => false };
		const overwrite = await conflictChoice(
			host,
			plan.files.filter(({ conflict }) => conflict),
		);
		if (overwrite) return { scope: scope === "files" ? "files" : "both", plan, overwrite };
	}
}

/** Restores the files, and shows what was done. */
export async function restoreChosen(
	host: InteractiveHost,
	{ plan, overwrite }: RestoreChoice,
	conversation: "stays" | "moved",
): Promise<void> {
	const { rewind } = host.sessionHost;
	const stop = new AbortController();
	using loader = new BorderedLoader(
		host.tui,
		host.theme.current,
		`Restoring ${counted(plan.files.length)}… (Esc stops)`,
	);
	// In place of the editor: a prompt that is sent now would meet files that are half restored.
	const shown = host.showInEditor(loader, { onCancel: () => stop.abort() });
	const outcome = await rewind
		.restoreFiles(plan, overwrite, conversation, stop.signal)
		.finally(() => shown.close());
	const isWhole = outcome.skipped.length + outcome.failed.length === 0;
	host.notify(outcomeInWords(outcome), isWhole ? "success" : "warning");
	await offerToUnstage(host, restoredPaths(plan, outcome));
}

/** A commit would still make the changes that the files no longer have. */
async function offerToUnstage(host: InteractiveHost, restored: readonly string[]): Promise<void> {
	const { staleIndex } = await import("@tau/session/commits");
	const signal = new AbortController().signal;
	const parts = { cwd: host.cwd, env: process.env, isTrusted: host.isTrusted, signal };
	const stale = await staleIndex(parts, restored);
	if (!stale) return;
	const words = staleInWords(stale);
	const answer = await host.ask.select(`${words}: ${named(stale.paths)}`, [
		{ value: "unstage", label: "Unstage them", description: stale.command },
		{ value: "leave", label: "Leave them staged", description: "a commit would include them" },
	]);
	if (answer !== "unstage") return host.notify(`${words}: ${stale.command}`, "warning");
	await stale.unstage();
	host.notify(`Unstaged ${listed(stale.paths)}.`, "success");
}

const titles: Readonly<Record<RestoreQuestion, string>> = {
	rewind: "What should be restored?",
	branch: "The files were different at this point. Restore them too?",
	redo: "Bring back what the last rewind replaced?",
};

function choicesOf(question: RestoreQuestion, { files }: RestorePlan): Choice[] {
	const about = listed(files.map(({ shown }) => shown));
	const look = { value: "preview", label: "Show the changes first" };
	if (question === "redo") return [{ value: "files", label: "Restore the files", description: about }, look];
	const both = { value: "both", label: "Conversation and files", description: about };
	const conversation = { value: "conversation", label: "Conversation only" };
	if (question === "branch") return [both, conversation, look];
	return [both, { value: "files", label: "Files only", description: about }, conversation, look];
}

/** Undefined if the user goes back. */
async function conflictChoice(
	host: InteractiveHost,
	conflicts: readonly PlannedFile[],
): Promise<((file: PlannedFile) => boolean) | undefined> {
	if (conflicts.length === 0) return () => false;
	const lines = conflicts.map(
		({ shown, conflict }) => `${shown} (${conflict ? conflictReasons[conflict] : ""})`,
	);
	const are = conflicts.length === 1 ? "1 file has" : `${conflicts.length} files have`;
	const choice = await host.ask.select(`${are} changes that restoring would lose: ${named(lines)}`, [
		{ value: "keep", label: "Leave them as they are, restore the others" },
		{ value: "overwrite", label: "Overwrite them (redo brings them back)" },
	]);
	if (choice === undefined) return undefined;
	return () => choice === "overwrite";
}

async function preview(host: InteractiveHost, { files }: RestorePlan): Promise<void> {
	const { rewind } = host.sessionHost;
	const shown = openSelector(host, (screen, close) => ({
		component: planSelector(screen, { files, diffOf: (file) => restoreDiff(rewind, file), close }),
	}));
	await shown.closed;
}
