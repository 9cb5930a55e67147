/** The files that a patch mentions, as they would be after each of its sections; nothing is written. */
import { dirname, isAbsolute, join, relative } from "node:path";

import type { AbsentFile, FileChange, Machine, NewContent, TextFile } from "@tau/sys";

import { refuseGenerated } from "../../files/generated.ts";
import { spliced, splicedAsWritten, unify, withEndsOf } from "../../files/line-ends.ts";
import { LineText } from "../../files/line-text.ts";
import type { ToolEnv } from "../../tool/env.ts";
import { lineSplices } from "../line-splices.ts";
import { planWhole, refuse, type PlannedFile, type PlanError } from "../plan.ts";
import type { PatchSection } from "./parse.ts";
import { placeHunks } from "./place-hunks.ts";

interface WorkFile {
	readonly before: TextFile | AbsentFile;
	/** The content of the file on disk. */
	readonly original: NewContent | undefined;
	now: NewContent | undefined;
	moved?: { from: string; target: string; text: string };
	/** True when the file has moved elsewhere. */
	isGone?: boolean;
	readonly notes: Set<string>;
}

type Outcome = PlanError | undefined;

const unchanged = "Nothing was changed.";

export type WorkTree = Pick<ToolEnv, "cwd" | "machine" | "resolve">;

export class Workspace {
	readonly #files = new Map<string, WorkFile>();
	readonly #tree: WorkTree;

	constructor(tree: WorkTree) {
		this.#tree = tree;
	}

	/** Applies a section. Returns why it cannot be applied, if it cannot. */
	async apply(section: PatchSection): Promise<Outcome> {
		switch (section.kind) {
			case "add":
				return this.#add(section.path, section.lines);
			case "delete":
				return this.#delete(section.path);
			case "update":
				return this.#update(section);
		}
	}

	/** Returns the current content of a file that is to be updated. */
	async text(path: string): Promise<string | PlanError> {
		const file = await this.#open(path);
		if ("ok" in file) return file;
		return file.now?.text ?? refuse(`There is no file ${path} to update. ${unchanged}`);
	}

	/** Returns the planned changes, in the order in which the files were named. */
	plan(): PlannedFile[] {
		const planned: PlannedFile[] = [];
		for (const { before, now, moved, notes, isGone } of this.#files.values()) {
			if (before.text === undefined && !now) continue;
			const change: FileChange = {
				before,
				...(now ? { after: now } : {}),
				...(moved && now ? { renamedFrom: moved.target } : {}),
			};
			const whole = planWhole(change, [...notes], moved);
			planned.push({ ...whole, ...(isGone && !now ? { silent: true } : {}) });
		}
		return planned;
	}

	async #add(path: string, lines: readonly string[]): Promise<Outcome> {
		const file = await this.#open(path);
		if ("ok" in file) return file;
		const refused = this.#refuseReplacing(path, file);
		if (refused) return refused;
		const text = lines.map((line) => `${line}\n`).join("");
		const old = file.now;
		file.now = old
			? { text: withEndsOf(unify(old.text), text), hasBom: old.hasBom }
			: { text, hasBom: false };
		return undefined;
	}

	/** A patch may replace a file on disk, which the result reports; it may not replace a file that it wrote itself. */
	#refuseReplacing(path: string, file: WorkFile): Outcome {
		if (!file.now) return undefined;
		if (file.now !== file.original) {
			return refuse(`The patch adds ${path} twice. Use *** Update File for the second change. ${unchanged}`);
		}
		const generated = refuseGenerated({ shown: path, text: file.now.text });
		if (generated) return refuse(`${generated.reason} ${unchanged}`);
		file.notes.add(`${path} already existed and was replaced.`);
		return undefined;
	}

	async #delete(path: string): Promise<Outcome> {
		const file = await this.#open(path, true);
		if ("ok" in file) return file;
		if (!file.now) return refuse(`There is no file ${path} to delete. ${unchanged}`);
		file.now = undefined;
		return undefined;
	}

	async #update({ path, moveTo, hunks }: Extract<PatchSection, { kind: "update" }>): Promise<Outcome> {
		const file = await this.#open(path, moveTo !== undefined);
		if ("ok" in file) return file;
		if (!file.now) return refuse(`There is no file ${path} to update. ${unchanged}`);
		// Any file can be deleted, but only text can be written under another name.
		const content = await this.#tree.machine.files.readText(path, this.#tree.resolve(path));
		if (!content.ok) return refuse(`${content.reason} ${unchanged}`);
		const generated = refuseGenerated({ shown: path, text: file.now.text });
		if (generated) return refuse(`${generated.reason} ${unchanged}`);
		const unified = unify(file.now.text);
		const lines = new LineText(unified.text);
		const placed = await placeHunks(lines, path, hunks);
		if (!placed.ok) return placed;
		const splices = lineSplices(lines, placed.changes);
		if (moveTo === undefined && spliced(unified.text, splices) === unified.text) {
			return refuse(`The hunks for ${path} change nothing. ${unchanged}`);
		}
		const now = { ...file.now, text: splicedAsWritten(unified, splices) };
		if (moveTo !== undefined) return this.#move(path, file, moveTo, now, placed.notes);
		file.now = now;
		for (const note of placed.notes) file.notes.add(note);
		return undefined;
	}

	async #move(
		path: string,
		file: WorkFile,
		moveTo: string,
		now: NewContent,
		notes: readonly string[],
	): Promise<Outcome> {
		const target = await this.#open(moveTo);
		if ("ok" in target) return target;
		if (target === file) return refuse(`${path} cannot be moved to itself. ${unchanged}`);
		const refused = this.#refuseReplacing(moveTo, target);
		if (refused) return refused;
		const mode = file.before.text === undefined ? undefined : file.before.mode;
		target.now = { ...now, ...(mode === undefined ? {} : { mode }) };
		target.moved = file.moved ?? {
			from: path,
			target: file.before.target,
			text: file.before.text ?? "",
		};
		for (const note of [...file.notes, ...notes]) target.notes.add(note);
		file.now = undefined;
		file.isGone = true;
		return undefined;
	}

	/** A deleted name is the name itself, even if it is a link. */
	async #open(path: string, isEntry = false): Promise<WorkFile | PlanError> {
		const { cwd, machine } = this.#tree;
		if (path.startsWith("~") || (isAbsolute(path) && !(await isInside(machine, cwd, path)))) {
			return refuse(
				`${path} is outside the work tree. Use relative paths, or absolute ones inside it. ${unchanged}`,
			);
		}
		const absolute = this.#tree.resolve(path);
		const found = await machine.files.readText(path, absolute);
		const isGoing = isEntry && (!found.ok || found.text !== undefined);
		const before = isGoing ? await machine.files.readEntry(path, absolute) : found;
		if (!before.ok) return refuse(`${before.reason} ${unchanged}`);
		const known = this.#files.get(before.target);
		if (known) return known;
		const now = before.text === undefined ? undefined : { text: before.text, hasBom: before.hasBom };
		const opened: WorkFile = { before, original: now, now, notes: new Set() };
		this.#files.set(before.target, opened);
		return opened;
	}
}

/** The directory, or its repository, by the path that it was opened with or by its real path. */
async function isInside({ files }: Machine, cwd: string, path: string): Promise<boolean> {
	let root = cwd;
	while (dirname(root) !== root && !(await isThere(files, join(root, ".git")))) root = dirname(root);
	const top = dirname(root) === root ? cwd : root;
	const trees = [top, await files.realpath(top)];
	return trees.some((tree) => {
		const way = relative(tree, path);
		return way !== ".." && !way.startsWith("../") && !isAbsolute(way);
	});
}

async function isThere(files: Machine["files"], path: string): Promise<boolean> {
	return (await files.stat(path).catch(() => undefined)) !== undefined;
}
