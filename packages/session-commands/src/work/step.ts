/** Continues from another entry of the session's tree, with its files and a summary of the branch that is left, if wanted. */
import { keepPaid, summaryOptionsOf } from "@tau/extensions/api";
import { userTextOf, type SessionEntry } from "@tau/log";
import type { BranchSummary } from "@tau/session";
import { assertOutcome } from "@tau/session/host";
import { isAbort } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { reply, type CommandExtensions, type CommandTarget } from "../command.ts";
import { moveTo } from "./move.ts";
import { navigation, type Navigation } from "./navigate.ts";
import { restoreChoice, restoreChosen, type RestoreChoice } from "./restore.ts";

type Move = Extract<Navigation, { kind: "move" }>;

/** The user's choice for the branch that is left. */
interface SummaryChoice {
	summarize: boolean;
	customInstructions?: string;
}

/** The result of the extensions for the navigation. */
type SummaryText = Awaited<ReturnType<CommandExtensions["beforeTree"]>>;

interface Summary {
	summary: string;
	details?: unknown;
	paid?: BranchSummary["paid"];
	/** An extension has written it. */
	isForeign: boolean;
}

export interface StepOptions {
	/** Where the conversation is for a reader. */
	leafId: string | null;
	/** What is restored; otherwise the user is asked. */
	files?: RestoreChoice;
	/** What becomes of the branch that is left; otherwise the user is asked. */
	summary?: SummaryChoice;
}

/** `back` if the user does not want to go there after all. */
export async function stepTo(
	target: CommandTarget,
	id: string,
	{ leafId, files, summary: wanted }: StepOptions,
): Promise<CommandReply | "back"> {
	const { host } = target;
	const step = navigation(host.log, id, leafId);
	if (step.kind === "stay") return reply("Already at this point.");
	const restore = files ?? (await restoreChoice(target, await host.rewind.preview(id), "branch"));
	if (!restore) return "back";
	const choice = wanted ?? (await summaryChoice(target, step));
	if (!choice) return "back";
	const answer: SummaryText = (await target.extensions?.beforeTree(id, choice)) ?? {};
	if (answer.cancel) return reply("Cancelled by an extension.", "warning");
	const summary = await summaryOf(target, step, choice, answer);
	if (summary === "stopped") return "back";
	const moved = await go(target, step, summary);
	if (!moved) return {};
	if (answer.label !== undefined)
		assertOutcome(await host.apply({ type: "label", entryId: moved.summaryId ?? id, label: answer.label }));
	const prefill = moved.prefill === undefined ? {} : { prefill: moved.prefill };
	if (restore.scope !== "both") return { ...prefill, data: { leafId: host.log.getLeafId() } };
	return { ...(await restoreChosen(target, restore, "moved")), ...prefill };
}

/** The options of an extension override those of the user. */
async function summaryOf(
	target: CommandTarget,
	{ left }: Move,
	choice: SummaryChoice,
	answer: SummaryText,
): Promise<Summary | undefined | "stopped"> {
	if (!choice.summarize) return undefined;
	if (answer.summary) return { ...answer.summary, isForeign: true };
	const made = await summarizing(target, answer.entriesToSummarize ?? left, summaryOptionsOf(choice, answer));
	return made && made !== "stopped" ? { ...made, isForeign: false } : made;
}

/** Undefined if the user stays. */
async function go(
	target: CommandTarget,
	{ to, prefill }: Move,
	summary: Summary | undefined,
): Promise<{ summaryId: string | undefined; prefill: string | undefined } | undefined> {
	const { host } = target;
	const { log } = host;
	const oldLeafId = log.getLeafId();
	// What was queued belongs to the branch that is left; the user's own words are not lost.
	const queued = host.session.queues.clearQueues().filter(({ role }) => role === "user");
	let summaryId: string | undefined;
	const change = (): void => {
		if (summary) summaryId = log.branchWithSummary(to, summary.summary, summary.details, summary.isForeign);
		else if (to === null) log.resetLeaf();
		else log.branch(to);
		keepPaid(log, summary?.paid);
	};
	if (!(await moveTo({ to: "branch", change }, target))) return undefined;
	const fromExtension = summary?.isForeign ?? false;
	await target.extensions?.afterTree({ oldLeafId, summaryId, fromExtension });
	const texts = [prefill ?? "", ...queued.map(userTextOf)].filter((text) => text !== "");
	const isEdited = prefill !== undefined || texts.length > 0;
	return { summaryId, prefill: isEdited ? texts.join("\n\n") : undefined };
}

/** Asks whether to summarize the branch that is left, if the setting is on and the branch has messages. */
async function summaryChoice(
	{ settings, ask }: CommandTarget,
	{ left }: Move,
): Promise<SummaryChoice | undefined> {
	if (!settings.get("branchSummary.enabled") || !left.some(({ type }) => type === "message"))
		return { summarize: false };
	for (;;) {
		const choice = await ask.select("Summarize the branch you are leaving?", [
			{ value: "no", label: "No summary" },
			{ value: "yes", label: "Summarize" },
			{ value: "custom", label: "Summarize with custom prompt" },
		]);
		if (choice === undefined) return undefined;
		if (choice !== "custom") return { summarize: choice === "yes" };
		const customInstructions = await ask.input("What should the summary focus on?");
		if (customInstructions !== undefined) return { summarize: true, customInstructions };
	}
}

type Made = Awaited<ReturnType<CommandTarget["host"]["session"]["summarizeBranch"]>>;

/** Resolves with `stopped` if the user cancelled, and rejects with the reason if the model failed. */
async function summarizing(
	{ host, signal, progress }: CommandTarget,
	entries: readonly SessionEntry[],
	options: { instructions?: string; replacesPrompt?: boolean },
): Promise<Made | "stopped"> {
	progress("Summarizing the branch");
	try {
		return await host.session.summarizeBranch(entries, { signal, ...options });
	} catch (error) {
		if (signal.aborted || isAbort(error)) return "stopped";
		throw error;
	} finally {
		progress(undefined);
	}
}
