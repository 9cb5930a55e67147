/** Changes files of another machine: all or none, each whole or not at all, and never over another program's change. */
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
	type NewContent,
} from "@tau/sys";
import { ConnectionLost, lineQuote } from "./channel.ts";
import type { SshConnection } from "./connection.ts";
import type { RemoteFacts } from "./facts.ts";
import { remoteError } from "./problems.ts";
import { readRemoteEntry, readRemoteText } from "./remote-text.ts";

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
	const contents = changes.map(({ after }) =>
		after && after.linkTarget === undefined ? encode(after) : undefined,
	);
	const input = contents.flatMap((bytes) => (bytes && bytes.length > 0 ? [bytes] : []));
	const stages = changes.map((change, index) => stageOf(change, index, contents[index], facts));
	const locks = [...new Set(changes.map(({ before }) => lockName(before.target)))].toSorted();
	const script = [`x= w= a=${shortId()}`, ...stages, `X ${changes.length} ${locks.join(" ")}`].join("; ");
	try {
		// It is not aborted from here on: what has begun over there is brought to its end.
		const { output } = await connection.request(script, { input, isLong: true, afterwards: "F" });
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
	if (result === "locked" && printed === "")
		return problem("failed", "Another process is writing these files. Try again.");
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

/** The call of `G` in files.sh. */
function stageOf(
	{ before, after }: FileChange,
	index: number,
	bytes: Uint8Array | undefined,
	facts: RemoteFacts,
): string {
	const stamp = before.text === undefined ? "" : before.stamp;
	const content = bytes ? ["b", String(bytes.length)] : after ? ["l", after.linkTarget ?? ""] : ["r"];
	const attributes = bytes && after ? attributesOf(before, after, facts) : [];
	return `G ${index} ${[before.target, stamp, ...content, ...attributes].map(lineQuote).join(" ")}`;
}

/** Owner and mode of the new file, as those of the old one; empty where they are those of any new file. */
function attributesOf(before: FileChange["before"], after: NewContent, facts: RemoteFacts): string[] {
	const usual = 0o666 & ~facts.umask;
	const isGiven = before.text === undefined || after.setMode === true;
	const mode = (isGiven ? after.mode : before.text === undefined ? undefined : before.mode) ?? usual;
	// Everyone who may read it may execute it.
	const requested = after.executable ? mode | ((mode & 0o444) >> 2) : mode;
	const owner = before.text === undefined ? undefined : before.owner;
	const isOther = owner !== undefined && (owner.uid !== facts.uid || owner.gid !== facts.gid);
	// Only root may change owners: another user who changes a file becomes its owner.
	const chown = isOther ? `${owner.uid}:${owner.gid}` : "";
	const chmod = requested === usual && !isOther ? "" : requested.toString(8);
	return chown === "" && chmod === "" ? [] : [chown, chmod];
}

function lockName(target: string): string {
	return Bun.hash(target).toString(36);
}
