/** Asks what a step back restores, shows it first, and never overwrites the user's own changes without a yes. */
import type { RewindScope } from "@tau/session/host";
import type { PlannedFile, RestorePlan } from "@tau/log/journal";
import type { CommandReply } from "@tau/wire";

import type { CommandChoice } from "../ask.ts";
import { reply, type CommandTarget } from "../command.ts";
import {
	conflictReasons,
	counted,
	listed,
	named,
	formatOutcome,
	restoreDiff,
	restoredPaths,
	formatStale,
} from "./restore-preview.ts";

/** What the user wants back, and which conflicts are overwritten. */
export interface RestoreChoice {
	scope: RewindScope;
	plan: RestorePlan;
	overwrite(file: PlannedFile): boolean;
}

export type RestoreQuestion = "rewind" | "branch" | "redo";

/** Shows what a restore would do; resolves when the user has seen it. */
export type PreviewRestore = (plan: RestorePlan) => Promise<void>;

/** Undefined if the user goes back. Without files to restore nothing is asked. */
export async function restoreChoice(
	target: CommandTarget,
	plan: RestorePlan,
	question: RestoreQuestion,
): Promise<RestoreChoice | undefined> {
	if (plan.files.length === 0) return { scope: "conversation", plan, overwrite: () => false };
	for (;;) {
		const scope = await target.ask.select(titles[question], choicesOf(question, plan));
		if (scope === undefined) return undefined;
		if (scope === "preview") {
			await (target.preview ?? ((planned) => previewAsText(target, planned)))(plan);
			continue;
		}
		if (scope === "conversation") return { scope, plan, overwrite: () => false };
		const overwrite = await conflictChoice(
			target,
			plan.files.filter(({ conflict }) => conflict),
		);
		if (overwrite) return { scope: scope === "files" ? "files" : "both", plan, overwrite };
	}
}

/** Restores the files; the reply says what was done. */
export async function restoreChosen(
	target: CommandTarget,
	{ plan, overwrite }: RestoreChoice,
	conversation: "stays" | "moved",
): Promise<CommandReply> {
	const { rewind } = target.host;
	// A prompt that is sent now would meet files that are half restored.
	target.progress(`Restoring ${counted(plan.files.length)} (Esc stops)`);
	const outcome = await rewind
		.restoreFiles(plan, overwrite, conversation, target.signal)
		.finally(() => target.progress(undefined));
	const isWhole = outcome.skipped.length + outcome.failed.length === 0;
	await target.notice(formatOutcome(outcome), isWhole ? "success" : "warning");
	const unstaged = await offerToUnstage(target, restoredPaths(plan, outcome));
	return {
		...unstaged,
		data: {
			restored: outcome.restored,
			skipped: outcome.skipped.map(({ shown }) => shown),
			failed: outcome.failed,
		},
	};
}

/** A commit would still make the changes that the files no longer have. */
async function offerToUnstage(target: CommandTarget, restored: readonly string[]): Promise<CommandReply> {
	const { staleIndex } = await import("@tau/session/commits");
	const { signal } = new AbortController();
	const parts = { cwd: target.cwd, env: process.env, isTrusted: target.isTrusted, signal };
	const stale = await staleIndex(parts, restored);
	if (!stale) return {};
	const words = formatStale(stale);
	const answer = await target.ask.select(`${words}: ${named(stale.paths)}`, [
		{
			value: "unstage",
			label: "Unstage them",
			description: target.isTrusted ? stale.command : `runs git in this untrusted project: ${stale.command}`,
		},
		{ value: "leave", label: "Leave them staged", description: "a commit would include them" },
	]);
	if (answer !== "unstage") return reply(`${words}: ${stale.command}`, "warning");
	await stale.unstage();
	return reply(`Unstaged ${listed(stale.paths)}.`, "success");
}

const titles: Readonly<Record<RestoreQuestion, string>> = {
	rewind: "What should be restored?",
	branch: "The files were different at this point. Restore them too?",
	redo: "Bring back what the last rewind replaced?",
};

function choicesOf(question: RestoreQuestion, { files }: RestorePlan): CommandChoice[] {
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
	target: CommandTarget,
	conflicts: readonly PlannedFile[],
): Promise<((file: PlannedFile) => boolean) | undefined> {
	if (conflicts.length === 0) return () => false;
	const lines = conflicts.map(
		({ shown, conflict }) => `${shown} (${conflict ? conflictReasons[conflict] : ""})`,
	);
	const are = conflicts.length === 1 ? "1 file has" : `${conflicts.length} files have`;
	const choice = await target.ask.select(`${are} changes that restoring would lose: ${named(lines)}`, [
		{ value: "keep", label: "Leave them as they are, restore the others" },
		{ value: "overwrite", label: "Overwrite them (redo brings them back)" },
	]);
	if (choice === undefined) return undefined;
	return () => choice === "overwrite";
}

async function previewAsText(target: CommandTarget, { files }: RestorePlan): Promise<void> {
	const { rewind } = target.host;
	await target.notice(files.map((file) => `${file.shown}\n${restoreDiff(rewind, file)}`).join("\n\n"));
}
