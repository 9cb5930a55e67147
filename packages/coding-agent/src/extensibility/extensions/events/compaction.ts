/** Lets extensions stop a compaction, write its summary, or say what it is to be about. */
import type { CompactionAbout, CompactionChange, CompactionHook } from "../../../session/run-hooks.ts";
import { limits } from "../limits.ts";
import type { ExtensionRunner } from "../runner.ts";

export function compactionHook(runner: () => ExtensionRunner): CompactionHook {
	return {
		before: (about) => before(runner(), about),
		async after(entryId, isOwn) {
			const compactionEntry = runner().side.log.getEntry(entryId);
			if (compactionEntry)
				await runner().emit({ type: "session_compact", compactionEntry, fromExtension: isOwn });
		},
	};
}

async function before(runner: ExtensionRunner, about: CompactionAbout): Promise<CompactionChange> {
	const { preparation, tokensBefore, instructions, signal } = about;
	let change: CompactionChange = {};
	if (runner.events.has("session_before_compact")) {
		const branchEntries = runner.side.log.getBranch();
		await runner.events.ask(
			"session_before_compact",
			() => ({
				type: "session_before_compact",
				preparation: { ...preparation, tokensBefore },
				branchEntries,
				...(instructions === undefined ? {} : { customInstructions: instructions }),
				signal,
			}),
			({ cancel, compaction }) => {
				if (cancel) change = { cancel };
				else if (compaction) change = { compaction };
				return change.cancel || change.compaction ? "stop" : undefined;
			},
			{ limitMs: limits.summaryMs },
		);
	}
	return change.cancel || change.compaction ? change : { ...change, ...(await words(runner, about)) };
}

/** omp's event: words that go to whoever writes the summary. */
async function words(
	runner: ExtensionRunner,
	{ preparation, instructions }: CompactionAbout,
): Promise<CompactionChange> {
	const said = instructions === undefined ? [] : [instructions];
	await runner.events.ask(
		"session.compacting",
		() => ({
			type: "session.compacting",
			sessionId: runner.side.log.getSessionId(),
			messages: preparation.messagesToSummarize,
		}),
		({ context, prompt }) => {
			said.push(...(prompt === undefined ? [] : [prompt]), ...(context ?? []));
			return undefined;
		},
	);
	return said.length > 0 ? { instructions: said.join("\n") } : {};
}
