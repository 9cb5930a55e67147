/** What a commit would contain: the tree that was shown, and its differences from HEAD as numbered hunks. */
import { copyFileSync, existsSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";

import { editScript, type EditPart } from "@tau/utils/edit-script";

import { TemporaryDirectory } from "../artifacts/index.ts";
import { UserError } from "../run/user-error.ts";
import { limits } from "./limits.ts";
import type { CommitRepository } from "./repository.ts";

/** Paths and contents are strings of bytes. */
export interface ChangedFile {
	readonly path: string;
	readonly before: Version;
	readonly after: Version;
	/** The positions of its hunks in the list of all. */
	readonly hunks: readonly number[];
}

export interface Version {
	/** `000000` where there is no file. */
	readonly mode: string;
	readonly oid: string;
}

/** A change that is committed whole or not at all. */
export interface Hunk {
	/** From 1. */
	readonly number: number;
	readonly path: string;
	/** The lines that it replaces; absent if the whole file is the change. */
	readonly edit?: LineEdit;
	/** For people and models. */
	readonly text: string;
}

export interface LineEdit {
	readonly before: readonly [from: number, to: number];
	readonly lines: readonly string[];
}

export interface CommitChanges {
	/** Undefined before the first commit. */
	readonly head: string | undefined;
	readonly headTree: string;
	/** Exactly what will be committed, whatever happens to the files meanwhile. */
	readonly tree: string;
	readonly scope: "staged" | "all";
	readonly files: readonly ChangedFile[];
	readonly hunks: readonly Hunk[];
	/** The lines of a file before the change, by its path. */
	readonly linesBefore: ReadonlyMap<string, readonly string[]>;
}

/** Staged changes if there are any, otherwise all. Throws a `UserError` with `nothing` if there are none. */
export async function readChanges(
	repository: CommitRepository,
	wanted: "staged" | "all" | "auto",
	nothing = "There is nothing to commit.",
): Promise<CommitChanges> {
	const root = await repository.line(["rev-parse", "--absolute-git-dir"]);
	const busy = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"].find(
		(name) => existsSync(join(root, name)),
	);
	if (busy !== undefined)
		throw new UserError(`Git is in the middle of something (${busy}). Finish or abort that first.`);
	const found = await repository.attempt(["rev-parse", "--verify", "--quiet", "HEAD"]);
	const head = found.ok ? found.output.trim() : undefined;
	const headTree = head
		? await repository.line(["rev-parse", "HEAD^{tree}"])
		: await repository.line(["hash-object", "-t", "tree", "--stdin"]);
	const staged = await repository.line(["write-tree"]);
	const isStaged = wanted === "staged" || (wanted === "auto" && staged !== headTree);
	const tree = isStaged ? staged : await treeOfAll(repository, join(root, "index"));
	if (tree === headTree) throw new UserError(nothing);
	const files = await changedFiles(repository, headTree, tree);
	const contents = await readContents(repository, files);
	return { head, headTree, tree, scope: isStaged ? "staged" : "all", ...numbered(files, contents) };
}

/** In an index of its own: what the user has staged stays as it is. */
async function treeOfAll(repository: CommitRepository, index: string): Promise<string> {
	using directory = new TemporaryDirectory();
	const indexFile = join(directory.path, "index");
	copyIndex(index, indexFile);
	await repository.git(["add", "--all"], { indexFile });
	return await repository.line(["write-tree"], { indexFile });
}

/**
 * With its time: git compares it with the times of files, to notice one that was changed in the moment in which the
 * index was written.
 */
export function copyIndex(from: string, to: string): void {
	if (!existsSync(from)) return;
	const { atime, mtime } = statSync(from);
	copyFileSync(from, to);
	utimesSync(to, atime, mtime);
}

async function changedFiles(
	repository: CommitRepository,
	from: string,
	to: string,
): Promise<Omit<ChangedFile, "hunks">[]> {
	const args = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to] as const;
	const fields = (await repository.git(args, { isBytes: true })).split("\0");
	const files: Omit<ChangedFile, "hunks">[] = [];
	for (let at = 0; at + 1 < fields.length; at += 2) {
		const [oldMode = "", newMode = "", oldOid = "", newOid = ""] = (fields[at] ?? "").slice(1).split(" ");
		const versions = { before: { mode: oldMode, oid: oldOid }, after: { mode: newMode, oid: newOid } };
		files.push({ path: fields[at + 1] ?? "", ...versions });
	}
	return files;
}

/** All in one process, by object. */
async function readContents(
	repository: CommitRepository,
	files: readonly Omit<ChangedFile, "hunks">[],
): Promise<ReadonlyMap<string, string>> {
	const oids = new Set(
		files.flatMap(({ before, after }) => [before, after]).flatMap((each) => (isFile(each) ? each.oid : [])),
	);
	if (oids.size === 0) return new Map();
	const output = await repository.git(["cat-file", "--batch"], {
		input: [...oids, ""].join("\n"),
		isBytes: true,
	});
	const contents = new Map<string, string>();
	for (let at = 0; at < output.length;) {
		const end = output.indexOf("\n", at);
		const [oid = "", , size = "0"] = output.slice(at, end).split(" ");
		contents.set(oid, output.slice(end + 1, end + 1 + Number(size)));
		at = end + 2 + Number(size);
	}
	return contents;
}

function isFile({ mode }: Version): boolean {
	return mode.startsWith("100");
}

function numbered(
	files: readonly Omit<ChangedFile, "hunks">[],
	contents: ReadonlyMap<string, string>,
): Pick<CommitChanges, "files" | "hunks" | "linesBefore"> {
	const hunks: Hunk[] = [];
	const linesBefore = new Map<string, readonly string[]>();
	const list = files.map((file): ChangedFile => {
		const first = hunks.length;
		for (const hunk of hunksOf(file, contents, linesBefore))
			hunks.push({ ...hunk, number: hunks.length + 1, path: file.path });
		return { ...file, hunks: hunks.slice(first).map(({ number }) => number) };
	});
	return { files: list, hunks, linesBefore };
}

function hunksOf(
	file: Omit<ChangedFile, "hunks">,
	contents: ReadonlyMap<string, string>,
	linesBefore: Map<string, readonly string[]>,
): Pick<Hunk, "edit" | "text">[] {
	const { before, after, path } = file;
	const [old, now] = [before, after].map((each) => (isFile(each) ? contents.get(each.oid) : undefined));
	const isText = ![old, now].some((text) => text?.slice(0, 8_192).includes("\0"));
	const title = `${shown(path)}${modeNote(before, after)}`;
	if (!isText || (old === undefined && now === undefined)) return [{ text: `${title}\n(not text)\n` }];
	const [a, b] = [linesOf(old ?? ""), linesOf(now ?? "")];
	const isWhole = old === undefined || now === undefined || old.length + now.length > limits.splitBytes;
	const changes = editScript(a, b, limits.lineEdits).filter(({ isSame }) => !isSame);
	if (isWhole || changes.length === 0)
		return [{ text: `${title}\n${changes.map((part) => lines(a, b, part)).join("")}` }];
	linesBefore.set(path, a);
	return grouped(changes).map((parts) => {
		const edit = editOf(b, parts);
		const around: EditPart = { isSame: false, before: edit.before, after: afterOf(parts) };
		const [from, to] = edit.before;
		const above = a.slice(Math.max(0, from - limits.contextLines), from);
		const below = a.slice(to, to + limits.contextLines);
		const text = [...above.map(unchanged), lines(a, b, around), ...below.map(unchanged)].join("");
		return { edit, text: `${title} @@ line ${from + 1}\n${text}` };
	});
}

/** Changes that are close to each other are one hunk. */
function grouped(changes: readonly EditPart[]): EditPart[][] {
	const groups: EditPart[][] = [];
	for (const part of changes) {
		const last = groups.at(-1)?.at(-1);
		if (last && part.before[0] - last.before[1] <= limits.hunkGap) groups.at(-1)?.push(part);
		else groups.push([part]);
	}
	return groups;
}

function editOf(b: readonly string[], parts: readonly EditPart[]): LineEdit {
	const [from, to] = [parts[0]?.before[0] ?? 0, parts.at(-1)?.before[1] ?? 0];
	return { before: [from, to], lines: b.slice(...afterOf(parts)) };
}

function afterOf(parts: readonly EditPart[]): readonly [number, number] {
	return [parts[0]?.after[0] ?? 0, parts.at(-1)?.after[1] ?? 0];
}

function lines(a: readonly string[], b: readonly string[], { before, after }: EditPart): string {
	return [
		...a.slice(...before).map((line) => marked("-", line)),
		...b.slice(...after).map((line) => marked("+", line)),
	].join("");
}

function unchanged(line: string): string {
	return marked(" ", line);
}

function marked(mark: string, line: string): string {
	return `${mark}${shown(line).replace(/\n?$/, "\n")}`;
}

function modeNote(before: Version, after: Version): string {
	if (before.mode === "000000") return " (new)";
	if (after.mode === "000000") return " (deleted)";
	return before.mode === after.mode ? "" : ` (mode ${before.mode} to ${after.mode})`;
}

function linesOf(text: string): string[] {
	return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Bytes as text. */
export function shown(bytes: string): string {
	return Buffer.from(bytes, "latin1").toString("utf8");
}
