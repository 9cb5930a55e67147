/** Lists an archive, or reads one file of it. */
import type { AgentToolResult } from "@tau/agent";
import {
	archiveKind,
	archiveLimits,
	listArchive,
	readArchiveEntry,
	type ArchiveEntry,
	type ArchiveSource,
} from "@tau/sys";
import { shownName } from "../find/shown-path.ts";
import { errorResult, textResult } from "../tool/result.ts";
import type { ReadRequest } from "./read-request.ts";
import { humanSize } from "./human-size.ts";
import { parseRange } from "./range.ts";
import { linesOf, showText } from "./show-text.ts";
import { memorySource, type Source } from "./source.ts";

/** Detects an archive by its name, or by its first bytes: a jar or a wheel is a ZIP too. */
export function isArchive(name: string, head: Uint8Array): boolean {
	const start = Buffer.from(head.subarray(0, 512)).toString("latin1");
	return archiveKind(name) !== undefined || start.startsWith("PK\x03\x04") || start.startsWith("ustar", 257);
}

/** Reads what was found in the archive, with what is left to ask for. */
export type ReadEntry = (source: Source, request: ReadRequest) => Promise<AgentToolResult>;

export async function readArchive(
	source: Source,
	request: ReadRequest,
	readEntry: ReadEntry,
	signal: AbortSignal,
): Promise<AgentToolResult> {
	const { shown } = source;
	const { selector = "", query, ...rest } = request;
	if (query !== undefined) return errorResult(`${shown} is not a SQLite database, so ?q= does not apply.`);
	const bytes = await source.bytes(archiveLimits.bytes);
	if (!bytes) {
		const [size, most] = [humanSize(source.size), humanSize(archiveLimits.bytes)];
		return errorResult(`${shown} has ${size}: archives of at most ${most} are read.`);
	}
	const archive = { name: shown, bytes };
	if (selector === "") return list(shown, archive, "", rest, signal);
	for (const { entry, range } of waysToRead(selector)) {
		const read = await readArchiveEntry(archive, entry, signal);
		if (read.ok) {
			const inner = memorySource(`${shown}:${entry}`, entry, read.bytes);
			return readEntry(inner, { ...rest, selector: range });
		}
		if (read.problem === "not-found" || read.problem === "not-a-file") continue;
		return errorResult(`${shown}: ${read.message}`);
	}
	return list(shown, archive, selector.replace(/\/+$/, ""), rest, signal);
}

/** The whole text may be the name of an entry, or a range may follow the name. */
function waysToRead(selector: string): { entry: string; range?: string | undefined }[] {
	const ways: { entry: string; range?: string }[] = [{ entry: selector }];
	// The shortest range is tried first: `a:1:2` may be the entry `a:1`.
	for (let at = selector.lastIndexOf(":"); at > 0; at = selector.lastIndexOf(":", at - 1)) {
		const range = selector.slice(at + 1);
		if (!parseRange(range)) break;
		ways.push({ entry: selector.slice(0, at), range });
	}
	return ways;
}

async function list(
	shown: string,
	archive: ArchiveSource,
	below: string,
	request: ReadRequest,
	signal: AbortSignal,
): Promise<AgentToolResult> {
	const listed = await listArchive(archive, signal);
	if (!listed.ok) return errorResult(`${shown}: ${listed.message}`);
	const entries = below === "" ? listed.entries : listed.entries.filter((entry) => isBelow(entry, below));
	const what = below === "" ? shown : `${shown}:${below}`;
	const details = { entries: entries.length };
	if (entries.length === 0) {
		if (below === "") return textResult(`${shown} is an empty archive.`, details);
		const read = await readArchiveEntry(archive, below, signal);
		return errorResult(`${shown}: ${read.ok ? `${below} is not listed.` : read.message}`);
	}
	const text = entries.map(line).join("\n");
	return showText(text, linesOf(request), { shown: what, style: "plain", details });
}

function isBelow({ path }: ArchiveEntry, folder: string): boolean {
	return path.startsWith(`${folder}/`);
}

function line({ path, kind, size, target, encrypted }: ArchiveEntry): string {
	const name = shownName(path);
	if (kind === "directory") return `${name}/`;
	if (kind === "link") return target === undefined ? `${name} (link)` : `${name} -> ${shownName(target)}`;
	return `${name}  ${humanSize(size)}${encrypted ? ", encrypted" : ""}`;
}
