/** The files that a patch speaks of, as they would be after each of its sections; nothing is written. */
import { isAbsolute } from "node:path";

import type { NewContent } from "../../files/change.ts";
import { refuseGenerated } from "../../files/generated.ts";
import { spliced, splicedAsWritten, unify } from "../../files/line-ends.ts";
import { LineText } from "../../files/line-text.ts";
import { readEntry, readTextFileOrNone, type AbsentFile, type TextFile } from "../../files/text-file.ts";
import { lineSplices } from "../line-splices.ts";
import { planWhole, refuse, type PlannedFile, type Refusal } from "../plan.ts";
import type { PatchSection } from "./parse.ts";
import { placeHunks } from "./place-hunks.ts";

interface WorkFile {
	readonly before: TextFile | AbsentFile;
	now: NewContent | undefined;
	moved?: { from: string; text: string };
	/** It has moved elsewhere. */
	isGone?: boolean;
	readonly notes: Set<string>;
}

type Outcome = Refusal | undefined;

const unchanged = "Nothing was changed.";

export class Workspace {
	readonly #files = new Map<string, WorkFile>();
	readonly #resolve: (path: string) => string;

	constructor(resolve: (path: string) => string) {
		this.#resolve = resolve;
	}

	/** Why the section cannot be done, if it cannot. */
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

	/** What a file that is to be updated holds at this point. */
	text(path: string): string | Refusal {
		const file = this.#open(path);
		if ("ok" in file) return file;
		return file.now?.text ?? refuse(`There is no file ${path} to update. ${unchanged}`);
	}

	/** What is to be done, in the order in which the files were named. */
	plan(): PlannedFile[] {
		const planned: PlannedFile[] = [];
		for (const { before, now, moved, notes, isGone } of this.#files.values()) {
			if (before.text === undefined && !now) continue;
			const change = { before, ...(now ? { after: now } : {}) };
			const whole = planWhole(change, [...notes], moved);
			planned.push({ ...whole, ...(isGone && !now ? { silent: true } : {}) });
		}
		return planned;
	}

	#add(path: string, lines: readonly string[]): Outcome {
		const file = this.#open(path);
		if ("ok" in file) return file;
		if (file.now) {
			return refuse(
				`${path} is there already: use *** Update File, or *** Delete File before it. ${unchanged}`,
			);
		}
		file.now = { text: lines.map((line) => `${line}\n`).join(""), hasBom: false };
		return undefined;
	}

	#delete(path: string): Outcome {
		const file = this.#open(path, true);
		if ("ok" in file) return file;
		if (!file.now) return refuse(`There is no file ${path} to delete. ${unchanged}`);
		file.now = undefined;
		return undefined;
	}

	async #update({ path, moveTo, hunks }: Extract<PatchSection, { kind: "update" }>): Promise<Outcome> {
		const file = this.#open(path, moveTo !== undefined);
		if ("ok" in file) return file;
		if (!file.now) return refuse(`There is no file ${path} to update. ${unchanged}`);
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

	#move(path: string, file: WorkFile, moveTo: string, now: NewContent, notes: readonly string[]): Outcome {
		const target = this.#open(moveTo);
		if ("ok" in target) return target;
		if (target === file) return refuse(`${path} cannot be moved to itself. ${unchanged}`);
		if (target.now) {
			return refuse(`${moveTo} is there already: *** Delete File it first, or move elsewhere. ${unchanged}`);
		}
		const mode = file.before.text === undefined ? undefined : file.before.mode;
		target.now = { ...now, ...(mode === undefined ? {} : { mode }) };
		target.moved = file.moved ?? { from: path, text: file.before.text ?? "" };
		for (const note of [...file.notes, ...notes]) target.notes.add(note);
		file.now = undefined;
		file.isGone = true;
		return undefined;
	}

	/** A name that goes away is the name itself, also where it is a link. */
	#open(path: string, isEntry = false): WorkFile | Refusal {
		if (isAbsolute(path) || path.startsWith("~")) {
			return refuse(`Paths of a patch are relative to the working directory, not ${path}. ${unchanged}`);
		}
		const absolute = this.#resolve(path);
		const found = readTextFileOrNone(path, absolute);
		const before = isEntry && (!found.ok || found.text !== undefined) ? readEntry(path, absolute) : found;
		if (!before.ok) return refuse(`${before.reason} ${unchanged}`);
		const known = this.#files.get(before.target);
		if (known) return known;
		const now = before.text === undefined ? undefined : { text: before.text, hasBom: before.hasBom };
		const opened: WorkFile = { before, now, notes: new Set() };
		this.#files.set(before.target, opened);
		return opened;
	}
}
