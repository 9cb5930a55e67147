/** Lets extensions cancel a compaction, write its summary or change its instructions, and emits its outcome. */
import type { SessionEvent } from "@tau/session";
import type { CompactionAbout, CompactionChange, CompactionHook } from "@tau/session/run";

import { answererOf } from "../providers/scoped-stream.ts";
import { limits } from "../support/limits.ts";
import { isUsage } from "../support/sanitize-result.ts";
import type { ExtensionRunner } from "../host/runner.ts";
import type { CompactionCause } from "../api/event-types.ts";

export class CompactionEvents implements CompactionHook {
	readonly #runner: () => ExtensionRunner;
	#cause: CompactionCause = { reason: "manual", willRetry: false };
	/** Whether an extension has written the summary of the one at hand. */
	#isOwn = false;

	constructor(runner: () => ExtensionRunner) {
		this.#runner = runner;
	}

	async onEvent(event: SessionEvent): Promise<void> {
		if (event.type === "compaction_start") {
			this.#cause = { reason: event.reason, willRetry: event.willRetry };
			this.#isOwn = false;
		}
		if (event.type !== "compaction_end" || event.result) return;
		await this.#runner().emit({
			type: "session_compact_failed",
			...this.#cause,
			aborted: event.aborted,
			fromExtension: this.#isOwn,
			...(event.errorMessage === undefined ? {} : { errorMessage: event.errorMessage }),
		});
	}

	async before(about: CompactionAbout): Promise<CompactionChange> {
		const runner = this.#runner();
		const change = await this.#ask(runner, about);
		this.#isOwn = change.compaction !== undefined;
		return change.cancel || change.compaction ? change : await describe(runner, about);
	}

	async after(entryId: string, isOwn: boolean): Promise<void> {
		const compactionEntry = this.#runner().bound.log.getEntry(entryId);
		if (!compactionEntry) return;
		await this.#runner().emit({
			type: "session_compact",
			compactionEntry,
			fromExtension: isOwn,
			...this.#cause,
		});
	}

	async #ask(runner: ExtensionRunner, about: CompactionAbout): Promise<CompactionChange> {
		if (!runner.events.has("session_before_compact")) return {};
		const { preparation, tokensBefore, settings, instructions, signal } = about;
		const branchEntries = runner.bound.log.getBranch();
		let change: CompactionChange = {};
		await runner.events.ask(
			"session_before_compact",
			() => ({
				type: "session_before_compact",
				preparation: { ...preparation, tokensBefore, settings },
				branchEntries,
				...this.#cause,
				...(instructions === undefined ? {} : { customInstructions: instructions }),
				signal,
			}),
			({ cancel, compaction }) => {
				if (cancel) change = { cancel };
				else if (compaction) change = { compaction: withAnswerer(compaction) };
				return change.cancel || change.compaction ? "stop" : undefined;
			},
			{ limitMs: limits.summaryMs },
		);
		return change;
	}
}

type OwnCompaction = NonNullable<CompactionChange["compaction"]>;

/** A usage that is none would spoil the totals of the session. */
function withAnswerer({ usage, ...compaction }: OwnCompaction): OwnCompaction {
	if (!isUsage(usage)) return compaction;
	const paidTo = answererOf(usage);
	return { ...compaction, usage, ...(paidTo ? { paidTo } : {}) };
}

/** Dispatches omp's event, which adds context to the summary request or replaces its whole prompt. */
async function describe(
	runner: ExtensionRunner,
	{ preparation, instructions }: CompactionAbout,
): Promise<CompactionChange> {
	const lines = instructions === undefined ? [] : [instructions];
	let own: string | undefined;
	let preserveData: Record<string, unknown> | undefined;
	await runner.events.ask(
		"session.compacting",
		() => ({
			type: "session.compacting",
			sessionId: runner.bound.log.getSessionId(),
			messages: preparation.messagesToSummarize,
		}),
		({ context, prompt, preserveData: details }) => {
			own = prompt ?? own;
			lines.push(...(context ?? []).map((text) => `<additional-context>\n${text}\n</additional-context>`));
			if (details) preserveData = { ...preserveData, ...details };
			return undefined;
		},
	);
	const all = own === undefined ? lines : [own, ...lines];
	return {
		...(all.length > 0 ? { instructions: all.join("\n") } : {}),
		...(own === undefined ? {} : { replacesPrompt: true }),
		...(preserveData ? { preserveData } : {}),
	};
}
