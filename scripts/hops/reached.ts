/** What a traced Tau records, and how the files are counted that are on the way. */

/** The variable with the file that calls are recorded in. */
export const hopsFile = "TAU_HOPS_FILE";

/** A recorded function was called. */
export interface Reached {
	id: string;
	/** Who called, and who called them; the innermost first. */
	callers: readonly string[];
}

const fileOf = (call: string): string => call.slice(0, call.lastIndexOf(":"));

/**
 * The files of the callers, each once, up to the call that `until` names; those of the command line have begun it all. Files
 * of `utils` are left out: a queue or a timer is a tool, such as a promise.
 */
export function filesOf({ callers }: Reached, until?: string): string[] {
	const end = callers.findIndex((call) => call === until || call.startsWith("coding-agent/src/cli/"));
	const way = end < 0 ? callers : callers.slice(0, end + (callers[end] === until ? 1 : 0));
	return [...new Set(way.map(fileOf))].filter((file) => !file.startsWith("utils/"));
}

const passes = ({ callers }: Reached, file: string): boolean => callers.some((call) => fileOf(call) === file);

/** From a key to the socket. */
export function wayIn(reached: readonly Reached[]): string[] {
	const sent = reached.findLast(
		({ id, callers }) => id === "fetch" && passes({ id, callers }, "agent/src/loop.ts"),
	);
	return sent ? filesOf(sent).toReversed() : [];
}

/**
 * From the socket to the terminal. It has three parts, because what reads a queue of events is not called by what writes it:
 * to the queue of the answer, from there to that of the loop, and from there to the terminal.
 */
export function wayOut(reached: readonly Reached[]): string[] {
	const events = reached.filter(({ id }) => id.startsWith("utils/src/event-stream.ts:"));
	// The beginning of an answer is the first event that its decoder makes; deltas of one chunk are put together behind it.
	const begun = events.filter((each) => passes(each, "ai/src/message-builder.ts")).slice(0, 1);
	const answer = longest(begun, "ai/src/transport/http.ts:post");
	const loop = longest(
		events.filter(
			(each) => each.callers.includes("agent/src/loop.ts:ask") && !passes(each, "ai/src/message-builder.ts"),
		),
		"agent/src/loop.ts:ask",
	);
	const drawn = longest(
		reached.filter((each) => passes(each, "interactive/src/views/answer.ts")),
		"session/src/run/agent-session.ts:#converse",
	);
	const isWhole = answer.length > 0 && loop.length > 0 && drawn.length > 0;
	return isWhole ? [...new Set([...answer, ...loop, ...drawn])] : [];
}

/** From the outermost file on. */
function longest(reached: readonly Reached[], until: string): string[] {
	const ways = reached.map((each) => filesOf(each, until).toReversed());
	return ways.reduce((most, way) => (way.length > most.length ? way : most), []);
}
