/** Opens a session file: takes its lock, indexes it, sets damage aside, and reports problems. */
import { fstatSync, openSync, statSync } from "node:fs";
import { takeLock, type Lock, type Locked, log, uuidv7 } from "@tau/utils";

import { arrange, type Arrangement } from "./arrange.ts";
import { DiskFile } from "./disk-file.ts";
import { sessionVersion, type SessionHeader } from "../tree/entry.ts";
import type { EntryNode } from "../tree/node.ts";
import { fromFileName } from "./paths.ts";
import type { Piece } from "./piece.ts";
import type { LogProblem } from "./problem.ts";
import { repair } from "./repair.ts";
import { readSpan, scan } from "./scan.ts";

export interface OpenedFile {
	header: SessionHeader;
	nodes: EntryNode[];
	problems: LogProblem[];
	file: DiskFile;
	size: number;
	lock: Lock | undefined;
	/** Other programs could not read lines appended to this file, so it is rewritten first. */
	isOutdated: boolean;
	/** The last line is complete except for its newline. */
	isOpenEnded: boolean;
	/** There is neither a header nor an entry. */
	isEmpty: boolean;
}

export type FileOutcome =
	| { ok: true; opened: OpenedFile }
	| { ok: false; reason: "locked"; locked: Locked }
	/** A later version wrote the file: it could not read the entries that this version would add. */
	| { ok: false; reason: "newer"; path: string; version: number };

/** Throws the file system's error if the file cannot be read. */
export function openFile(path: string, access: "read" | "write"): FileOutcome {
	const problems: LogProblem[] = [];
	using owned = new DisposableStack();
	const kind = statSync(path);
	// Opening a pipe would wait for a writer; for a directory the system's own error is clear enough.
	if (!kind.isFile() && !kind.isDirectory()) throw new Error(`${path} is not a file.`);
	const file = owned.use(new DiskFile(openSync(path, "r")));
	const lock = access === "write" ? lockIfWritable(path) : undefined;
	if (lock && "path" in lock) return { ok: false, reason: "locked", locked: lock };
	const held = lock && owned.use(lock);
	const opened: OpenedFile = {
		...index(path, file, held !== undefined, problems),
		problems,
		file,
		lock: held,
	};
	const { version = 1 } = opened.header;
	if (access === "write" && version > sessionVersion) return { ok: false, reason: "newer", path, version };
	owned.move();
	return { ok: true, opened };
}

/** A disk that rejects the lock rejects lines too: reading works, and writing is tried when needed. */
function lockIfWritable(path: string): Lock | Locked | undefined {
	try {
		const taken = takeLock(path);
		return taken.ok ? taken.lock : taken.locked;
	} catch (error) {
		log.debug("a session cannot be locked", { path, reason: String(error) });
		return undefined;
	}
}

function index(
	path: string,
	{ fd }: DiskFile,
	mayRepair: boolean,
	problems: LogProblem[],
): Omit<OpenedFile, "problems" | "file" | "lock"> {
	const fileSize = fstatSync(fd).size;
	const { pieces } = scan(fd, 0, fileSize);
	const { nodes, broken, problems: newProblems } = arrange(pieces);
	problems.push(...newProblems, ...damageOf(broken, fileSize));
	const { header, isFirst } = headerOf(path, pieces, nodes);
	if (!isFirst && (nodes.length > 0 || broken.length > 0)) problems.push({ kind: "header" });
	const isKnown = (header.version ?? 1) <= sessionVersion;
	const size =
		broken.length > 0 && mayRepair && isKnown ? repaired(path, broken, fileSize, problems) : fileSize;
	const torn = broken.find(({ piece }) => isAtEnd(piece, fileSize))?.node;
	const whole = torn ? nodes.filter((node) => node !== torn) : nodes;
	return {
		header,
		nodes: whole,
		size,
		isOutdated: isFirst ? (header.version ?? 1) < 2 : whole.length > 0,
		isEmpty: !isFirst && whole.length === 0,
		isOpenEnded: size > 0 && readSpan(fd, size - 1, 1)[0] !== 0x0a,
	};
}

function isAtEnd({ offset, length }: Piece, size: number): boolean {
	return offset + length === size;
}

function damageOf(broken: Arrangement["broken"], size: number): LogProblem[] {
	return broken.map(({ piece, node }): LogProblem => {
		const { offset, length: bytes } = piece;
		if (isAtEnd(piece, size)) return { kind: "torn", bytes };
		return { kind: "damaged", offset, bytes, ...(node ? { id: node.id } : {}) };
	});
}

function repaired(path: string, broken: Arrangement["broken"], size: number, problems: LogProblem[]): number {
	try {
		return repair(path, broken, size);
	} catch (error) {
		problems.push({ kind: "unrepaired", reason: error instanceof Error ? error.message : String(error) });
		return size;
	}
}

/** Missing fields are taken from the name of the file and from its entries. */
function headerOf(
	path: string,
	pieces: readonly Piece[],
	nodes: readonly EntryNode[],
): { header: SessionHeader; isFirst: boolean } {
	const [first, second] = pieces;
	const span = pieces.find((piece) => piece.kind === "header");
	const isFirst = span !== undefined && (span === first || (first?.kind === "title" && span === second));
	const value = span?.value ?? {};
	const named = fromFileName(path);
	const key = first?.kind === "title" && typeof first.value.title === "string" ? first.value.title : "";
	const header: SessionHeader = {
		...value,
		type: "session",
		id: text(value.id) ?? named.id ?? uuidv7(),
		timestamp: text(value.timestamp) ?? named.timestamp ?? nodes[0]?.timestamp ?? new Date().toISOString(),
		cwd: text(value.cwd) ?? "",
		...(key === "" ? {} : { title: key }),
	};
	if (typeof value.version !== "number" && !isFirst) header.version = sessionVersion;
	return { header, isFirst };
}

function text(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}
