/** Text files of another machine, with the properties that a change must preserve. */
import {
	problem,
	systemProblem,
	textFileOf,
	type AbsentFile,
	type FileProblem,
	type TextFile,
} from "@tau/sys";
import { lineQuote } from "./channel.ts";
import type { SshConnection } from "./connection.ts";
import { limits } from "./limits.ts";
import { remoteError } from "./problems.ts";
import { parseStat } from "./stat.ts";

type Found = TextFile | AbsentFile | FileProblem;

export async function readRemoteText(
	connection: SshConnection,
	shown: string,
	path: string,
	signal?: AbortSignal,
): Promise<Found> {
	return await readNamed(connection, `T ${lineQuote(path)} ${limits.fileBytes + 1}`, shown, signal, false);
}

/** A file that is to be deleted, with any content. */
export async function readRemoteEntry(
	connection: SshConnection,
	shown: string,
	path: string,
): Promise<TextFile | FileProblem> {
	const found = await readNamed(
		connection,
		`E ${lineQuote(path)} ${limits.fileBytes + 1}`,
		shown,
		undefined,
		true,
	);
	if (found.ok && found.text === undefined) return problem("missing", `There is no file ${shown}.`);
	return found as TextFile | FileProblem;
}

async function readNamed(
	connection: SshConnection,
	script: string,
	shown: string,
	signal: AbortSignal | undefined,
	anyContent: boolean,
): Promise<Found> {
	try {
		const { status, output } = await connection.request(script, { signal, isLong: true, mayRepeat: true });
		const [kind, rest] = upToNul(output);
		if (kind === "directory") return problem("directory", `${shown} is a directory.`);
		if (kind === "special") return problem("special", `${shown} is not a regular file.`);
		if (status !== 0) throw remoteError(output);
		const [target, after] = upToNul(rest);
		if (kind === "absent") return { ok: true, shown, target, text: undefined };
		const [stamp, bytes] = upToNul(after);
		return textOf(shown, target, stamp.trimEnd(), bytes, anyContent);
	} catch (error) {
		signal?.throwIfAborted();
		return systemProblem(shown, "read", error);
	}
}

function textOf(
	shown: string,
	target: string,
	stamp: string,
	bytes: Buffer,
	anyContent: boolean,
): TextFile | FileProblem {
	const { mode, links, uid, gid, size } = parseStat(stamp);
	const facts = { ok: true, shown, target, mode: mode & 0o7777, links, owner: { uid, gid }, stamp } as const;
	if (bytes.length > limits.fileBytes && !anyContent)
		return problem("large", `${shown} is too large to edit (${size} bytes). Use bash with sed or a script.`);
	const text = textFileOf(shown, target, bytes);
	if (text.ok) return { ...text, ...facts };
	return anyContent ? { ...facts, text: "", hasBom: false } : text;
}

function upToNul(bytes: Buffer): [string, Buffer] {
	const at = bytes.indexOf(0);
	return at < 0
		? [bytes.toString("utf8"), Buffer.alloc(0)]
		: [bytes.toString("utf8", 0, at), bytes.subarray(at + 1)];
}
