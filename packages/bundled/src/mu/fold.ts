/** Calls that say little by themselves, in one line: files read one after the other, and the same call several times. */
import type { Theme } from "@tau/tui";
import type { FoldedCalls, ToolCallState } from "@tau/extensions/api";

import { CallLine } from "./call-line.ts";
import { limits } from "./limits.ts";

/** Looking at files is most of what a model does, and each look alone says next to nothing. */
const quietTool = "read";

/** A read-only call: its result is for the model. */
export function isLook({ toolName }: Pick<ToolCallState, "toolName">): boolean {
	return toolName === quietTool;
}

/** Reads fold over several answers; of other tools only calls that run side by side may be the same. */
export function joins(call: ToolCallState, before: ToolCallState, isSameAnswer: boolean): boolean {
	return call.toolName === before.toolName && (isSameAnswer || call.toolName === quietTool);
}

type Describe = (name: string, args: Record<string, unknown>) => string;

export function foldCalls(
	calls: readonly ToolCallState[],
	theme: Theme,
	hasMotion: boolean,
	describe: Describe,
): FoldedCalls[] {
	const reads = calls.filter(isQuietRead);
	const folded = reads.length < 2 ? [] : reads;
	const rest = calls.filter((call) => !folded.includes(call));
	const line = (described: string, same: readonly ToolCallState[]): FoldedCalls => ({
		toolCallIds: same.map(({ toolCallId }) => toolCallId),
		component: new CallLine({ described, call: slowest(same), theme, hasMotion }),
	});
	return [
		...(folded.length > 0 ? [line(formatReads(folded, describe), folded)] : []),
		...sameCalls(rest).map((same) => {
			const [first] = same;
			const text = first ? describe(first.toolName, first.args) : "";
			// The number comes before what may be cut off.
			return line(text.replace(/^(\S+)/, `$1 ×${same.length}`), same);
		}),
	];
}

/** A call that runs, failed or took long has its own line. */
function isQuietRead({ toolName, isPartial, isError, isDropped, elapsedMs }: ToolCallState): boolean {
	const isQuiet = !isPartial && !isError && !isDropped && elapsedMs < limits.shownDurationMs;
	return toolName === quietTool && isQuiet;
}

function formatReads(reads: readonly ToolCallState[], describe: Describe): string {
	const what = reads.map(({ toolName, args }) => describe(toolName, args).replace(/^\S+\s*/, ""));
	return `${quietTool} ×${reads.length} ${what.join(", ")}`;
}

/** Those with the same call and state, if there are several of them. */
function sameCalls(calls: readonly ToolCallState[]): ToolCallState[][] {
	const bySignature = Map.groupBy(calls.filter(isFoldable), signatureOf);
	return [...bySignature.values()].filter(({ length }) => length > 1);
}

/** What failed or changed something has more to show than its name. */
function isFoldable({ isError, isDropped, isPartial, result }: ToolCallState): boolean {
	return !isError && !isDropped && (isPartial || result?.details === undefined || !hasDiff(result.details));
}

function hasDiff(details: unknown): boolean {
	return typeof details === "object" && details !== null && ("diff" in details || "created" in details);
}

function signatureOf({ toolName, args, isPartial, executionStarted }: ToolCallState): string {
	return JSON.stringify([toolName, isPartial, isPartial && executionStarted, sorted(args)]);
}

/** A model may name the same arguments in another order. */
function sorted(args: Record<string, unknown>): [string, unknown][] {
	return Object.entries(args).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
}

function slowest(calls: readonly ToolCallState[]): ToolCallState {
	return calls.reduce((slow, call) => (call.elapsedMs > slow.elapsedMs ? call : slow));
}
