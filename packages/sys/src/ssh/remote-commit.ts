/** Changes files of another machine: all or none, each whole or not at all, and never over somebody else's change. */
import { dirname } from "node:path";

import { shortId } from "@tau/utils";

import {
	changedMeanwhile,
	committedChanges,
	encode,
	problem,
	systemProblem,
	type CommitOptions,
	type Committed,
	type FileChange,
	type FileProblem,
} from "../machine/index.ts";
import { ConnectionLost, lineQuote } from "./channel.ts";
import type { SshConnection } from "./connection.ts";
import type { RemoteFacts } from "./facts.ts";
import { remoteError } from "./problems.ts";
import { readRemoteEntry, readRemoteText } from "./remote-text.ts";

/** One change as words of a shell. */
interface Plan {
	readonly change: FileChange;
	readonly target: string;
	readonly directory: string;
	readonly temporary: string;
	/** Holds the previous file until all are in place. */
	readonly old: string;
	readonly bytes: Uint8Array | undefined;
	readonly attributes: string;
}

export async function commitRemote(
	connection: SshConnection,
	changes: readonly FileChange[],
	options: CommitOptions,
): Promise<Committed> {
	const { signal, whenDenied } = options;
	signal.throwIfAborted();
	const facts = await connection.facts(signal);
	let left = changes;
	for (;;) {
		const failed = await commitAll(connection, facts, left, signal);
		if (!failed) return { ok: true, changes: committedChanges(changes) };
		const denied = failed.kind === "denied" ? failed.change : undefined;
		if (!denied || !(await whenDenied?.(denied, failed.reason))) return failed;
		left = left.filter((change) => change !== denied);
		if (left.length === 0) return { ok: true, changes: committedChanges(changes) };
	}
}

type Failed = FileProblem & { change?: FileChange | undefined };

async function commitAll(
	connection: SshConnection,
	facts: RemoteFacts,
	changes: readonly FileChange[],
	signal: AbortSignal,
): Promise<Failed | undefined> {
	const plans = changes.map((change) => planOf(change, facts));
	const input = plans.flatMap(({ bytes }) => (bytes && bytes.length > 0 ? [bytes] : []));
	try {
		// It is not aborted from here on: what has begun over there is brought to its end.
		const { output } = await connection.request(scriptOf(plans), { input, isLong: true });
		const text = output.toString("utf8");
		const [, result = "", at = ""] = /\0(\w*)\s?(\d*)\0/.exec(text) ?? [];
		const change = changes[Number(at)];
		return result === "ok" ? undefined : failure(result, change, text.slice(0, text.indexOf("\0")));
	} catch (error) {
		if (!(error instanceof ConnectionLost)) throw error;
		return await afterLoss(connection, changes, signal, error);
	}
}

function failure(result: string, change: FileChange | undefined, printed: string): Failed {
	if (result === "locked") return problem("failed", "Another process is writing these files. Try again.");
	if (!change) return problem("failed", `Cannot write: ${remoteError(printed).message}`);
	if (result === "changed") return changedMeanwhile(change);
	const error = result === "readonly" ? remoteError("Permission denied") : remoteError(printed);
	return { ...systemProblem(change.before.shown, "write", error), change };
}

/** The other side may have finished: what is there now decides. */
async function afterLoss(
	connection: SshConnection,
	changes: readonly FileChange[],
	signal: AbortSignal,
	lost: ConnectionLost,
): Promise<Failed | undefined> {
	const states = await Promise.all(changes.map((change) => isMade(connection, change, signal))).catch(
		() => undefined,
	);
	if (states?.every(Boolean)) return undefined;
	const shown = changes.map(({ before }) => before.shown).join(", ");
	if (states && !states.some(Boolean))
		return problem(
			"failed",
			`The connection was lost before ${shown} was written. Nothing was changed. Try again.`,
		);
	return problem("failed", `${lost.message} It is not known whether ${shown} was written: read it first.`);
}

async function isMade(
	connection: SshConnection,
	{ before, after }: FileChange,
	signal: AbortSignal,
): Promise<boolean> {
	const { shown, target } = before;
	if (!after) {
		const now = await readRemoteEntry(connection, shown, target);
		if (now.ok) return false;
		if (now.kind !== "missing") throw new Error(now.reason);
		return true;
	}
	const now = await readRemoteText(connection, shown, target, signal);
	if (!now.ok) throw new Error(now.reason);
	return now.text === after.text && after.bytes === undefined && after.linkTarget === undefined;
}

function planOf(change: FileChange, facts: RemoteFacts): Plan {
	const { before, after } = change;
	const directory = dirname(before.target);
	const beside = (ending: string): string =>
		lineQuote(`${directory === "/" ? "" : directory}/.tau-${shortId()}.${ending}`);
	const temporary = beside("tmp");
	return {
		change,
		target: lineQuote(before.target),
		directory: lineQuote(directory),
		temporary,
		old: beside("old"),
		bytes: after && after.linkTarget === undefined ? encode(after) : undefined,
		attributes: attributesOf(change, facts, temporary),
	};
}

/** Commands that give the new file the owner and mode of the old one, where they differ from those of a new file. */
function attributesOf({ before, after }: FileChange, facts: RemoteFacts, temporary: string): string {
	if (!after || after.linkTarget !== undefined) return "";
	const usual = 0o666 & ~facts.umask;
	const isGiven = before.text === undefined || after.setMode === true;
	const mode = (isGiven ? after.mode : before.text === undefined ? undefined : before.mode) ?? usual;
	// Everyone who may read it may execute it.
	const requested = after.executable ? mode | ((mode & 0o444) >> 2) : mode;
	const owner = before.text === undefined ? undefined : before.owner;
	const isOther = owner !== undefined && (owner.uid !== facts.uid || owner.gid !== facts.gid);
	// Only root may change owners: another user who changes a file becomes its owner.
	const chown = isOther ? ` && { chown ${owner.uid}:${owner.gid} ${temporary} 2>/dev/null || true; }` : "";
	const chmod = requested === usual && !isOther ? "" : ` && chmod ${requested.toString(8)} ${temporary}`;
	return `${chown}${chmod}`;
}

/** `x` is empty until something fails; then it says what, and which change it was. */
function scriptOf(plans: readonly Plan[]): string {
	const several = plans.length > 1;
	const all = (parts: (string | undefined)[]): string => parts.filter(Boolean).join("; ");
	const locks = [...new Set(plans.map(({ change }) => lockName(change.before.target)))].toSorted();
	const taken = locks.map((name) => `L ${name}`).join(" && ");
	const files = plans.flatMap(({ temporary, old }) => [temporary, ...(several ? [old] : [])]).join(" ");
	const held = locks.map((name) => `"$l/${name}"`).join(" ");
	const [first] = plans;
	// After a rename no temporary file is left.
	const isRenamed = !several && first?.change.after !== undefined && first.change.before.text !== undefined;
	return all([
		"x=; h=; w=",
		...plans.map(stageOf),
		`if [ -z "$x" ]; then if ${taken}; then h=1; else x=locked; fi; fi`,
		`if [ -z "$x" ]; then ${all(plans.map(checkOf))}; fi`,
		`if [ -z "$x" ]; then ${all(plans.map((plan, index) => publishOf(plan, index, several)))}; fi`,
		...(several ? [`if [ -n "$x" ]; then ${all(plans.map(undoOf).toReversed())}; fi`] : []),
		isRenamed ? `if [ -n "$x" ]; then rm -f ${files}; fi` : `rm -f ${files}`,
		`if [ -n "$h" ]; then rm -f ${held}; fi`,
		`if [ -n "$x" ]; then ${all(plans.map(({ directory }, index) => `Z ${directory} "$m${index}"`).toReversed())}; fi`,
		`printf "\\0%s\\0" "\${x:-ok}"`,
		`if [ -n "$w" ]; then printf "%s 0\\n" "$n"; exit; fi`,
	]);
}

/** The input of a change that is not made is read all the same: what follows it is the next request. */
function stageOf({ change, directory, temporary, bytes, attributes, target }: Plan, index: number): string {
	const { before, after } = change;
	const fail = `x=\${x:-"failed ${index}"}`;
	const reset = `m${index}=; y${index}=`;
	const readonly =
		before.text === undefined
			? ""
			: `if [ ! -L ${target} ] && [ -e ${target} ] && [ ! -w ${target} ]; then x=\${x:-"readonly ${index}"}; fi`;
	if (!after) return `${reset}; ${readonly}`;
	const drop = bytes === undefined ? "true" : `U ${bytes.length} /dev/null`;
	const make =
		bytes === undefined
			? `ln -s ${lineQuote(after.linkTarget ?? "")} ${temporary}`
			: `U ${bytes.length} ${temporary}${attributes}`;
	const work = `if [ -z "$x" ] && M ${directory}; then m${index}=$m; ${make} || ${fail}; else ${drop}; ${fail}; fi`;
	return [reset, readonly, work].filter(Boolean).join("; ");
}

function checkOf({ change: { before }, target, temporary, bytes }: Plan, index: number): string {
	const changed = `x=\${x:-"changed ${index}"}`;
	const stamp = before.text === undefined ? "" : lineQuote(before.stamp);
	const isThere = `if [ -e ${target} ] || [ -L ${target} ]; then ${changed}; fi`;
	if (bytes === undefined)
		return stamp === "" ? isThere : `if [ "$(C ${target} 2>/dev/null)" != ${stamp} ]; then ${changed}; fi`;
	const state = stamp === "" ? `"" ""` : `${target} ${stamp}`;
	const whole = `V ${temporary} ${bytes.length} ${state} || x=\${x:-"$v ${index}"}`;
	return stamp === "" ? `${isThere}; ${whole}` : whole;
}

function publishOf({ change, target, temporary, old }: Plan, index: number, several: boolean): string {
	const { before, after } = change;
	const keep = several && before.text !== undefined ? `B ${target} ${old} && ` : "";
	const move =
		before.text === undefined
			? `O ${temporary} ${target}`
			: after
				? `mv -f ${temporary} ${target}`
				: `rm -f ${target}`;
	const mark = several ? ` && y${index}=1` : "";
	return `if [ -z "$x" ]; then ${keep}${move}${mark} || x="failed ${index}"; fi`;
}

function undoOf({ change, target, old }: Plan, index: number): string {
	const undo = change.before.text === undefined ? `rm -f ${target}` : `mv -f ${old} ${target}`;
	return `if [ -n "$y${index}" ]; then ${undo}; fi`;
}

function lockName(target: string): string {
	return Bun.hash(target).toString(36);
}
