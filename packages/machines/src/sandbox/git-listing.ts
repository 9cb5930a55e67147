/** Lists a directory of a repository by its description: which directories come next, which files to read, and what is odd. */
import { lstatSync, readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";

import { linkTarget } from "./disarm.ts";
import { isRepositoryWith, textOf } from "./git-directories.ts";
import { gitDirectory, moduleDirectory, type GitPlace } from "./git-layout.ts";
import type { TextRule } from "./git-texts.ts";
import { statsOf } from "./stats-of.ts";

/** The name as bytes if it is not text. */
export interface NamedFile {
	readonly directory: string;
	readonly name: string | Buffer;
}

export interface Listed {
	readonly place: GitPlace;
	readonly below: readonly (readonly [name: string, place: GitPlace])[];
	/** What does not belong there, whatever it says. */
	readonly odd: readonly NamedFile[];
	readonly texts: readonly { readonly file: NamedFile; readonly rule: TextRule }[];
	/** Names of the index and of the parts that a split one shares. */
	readonly indexes: readonly string[];
}

/** Undefined if the directory cannot be listed. */
export function contentsOf(directory: string, given: GitPlace): Listed | undefined {
	try {
		const entries = readdirSync(directory, { withFileTypes: true });
		const place = placeAt(given, lowerNames(entries));
		if (place.role === "unread" && place.refused === undefined)
			return { place, below: [], odd: [], texts: [], indexes: [] };
		const usual = entries.filter(({ name }) => !name.includes("\ufffd"));
		if (usual.length === entries.length) return listedOf(directory, place, usual);
		const names = readdirSync(directory, { encoding: "buffer" });
		const texts = names.map((name) => textOf(name)).filter((name) => name?.includes("\ufffd"));
		const further = texts.flatMap((name = "") => entryAt(directory, name));
		const odd = names.filter((name) => textOf(name) === undefined);
		return withOddNames(directory, odd, listedOf(directory, place, [...usual, ...further]));
	} catch {
		// It is gone, or closed.
		return undefined;
	}
}

function lowerNames(entries: readonly Named[]): Set<string> {
	return new Set(entries.map(({ name }) => name.toLowerCase()));
}

/** Without it, a directory is no repository. */
function heads<T extends Named>(entries: readonly T[]): T[] {
	return entries.filter(({ name }) => name.toLowerCase() === "head");
}

type Named = Pick<Dirent, "name">;
type Entry = Pick<Dirent, "name" | "isFile" | "isDirectory" | "isSymbolicLink">;

/** A name may contain the character that stands for what is not text: the list of names does not tell which of them it is about. */
function entryAt(directory: string, name: string): Entry[] {
	const stats = lstatSync(join(directory, name), { throwIfNoEntry: false });
	return stats === undefined ? [] : [Object.assign(stats, { name })];
}

function listedOf(directory: string, place: GitPlace, entries: readonly Entry[]): Listed {
	const below: [string, GitPlace][] = [];
	const odd: NamedFile[] = [];
	const texts: { file: NamedFile; rule: TextRule }[] = [];
	for (const entry of entries) {
		const { name } = entry;
		const kind = kindOf(entry, join(directory, name));
		const file = { directory, name };
		if (kind === "file") {
			const rule = ruleOf(place, name);
			if (place.refused?.test(name)) odd.push(file);
			else if (rule !== undefined) texts.push({ file, rule });
		} else if (kind === "directory") {
			const known = place.directories?.find(([pattern]) => pattern.test(name));
			const next = known?.[1]();
			if (next !== undefined) below.push([name, next]);
			else if (known === undefined && place.role !== "unread") odd.push(file);
		} else if (!isUsual(directory, name, kind)) odd.push(file);
	}
	if (place.role === "plain" && isRepositoryWith(lowerNames(entries)))
		odd.push(...heads(entries).map(({ name }) => ({ directory, name })));
	const isRepository = place.role === "repository";
	const indexes = isRepository ? entries.map(({ name }) => name).filter((name) => indexName.test(name)) : [];
	return { place, below, odd, texts, indexes };
}

/** Git goes through directories and links whose names are not text, and we do not. */
function withOddNames(directory: string, names: readonly Buffer[], listed: Listed): Listed {
	const { place } = listed;
	const odd = [...listed.odd];
	const texts = [...listed.texts];
	for (const name of names) {
		const file = { directory, name };
		const isFile = statsOf(Buffer.concat([Buffer.from(`${directory}/`), name]))?.isFile() === true;
		const rule = ruleOf(place, name.toString("latin1"));
		if (!isFile || place.refused?.test(name.toString("latin1"))) odd.push(file);
		else if (rule !== undefined) texts.push({ file, rule });
	}
	return { ...listed, odd, texts };
}

function ruleOf(place: GitPlace, name: string): TextRule | undefined {
	return place.texts?.find(([pattern]) => pattern.test(name))?.[1];
}

const indexName = /^(?:index$|sharedindex\.)/;

type Kind = "file" | "directory" | "link" | "other";

function kindOf(entry: Entry, path: string): Kind {
	const known = kindBy(entry);
	if (known !== "other") return known;
	// Some file systems do not tell.
	const stats = statsOf(path);
	return stats === undefined ? "other" : kindBy(stats);
}

function kindBy(entry: Omit<Entry, "name">): Kind {
	if (entry.isFile()) return "file";
	if (entry.isDirectory()) return "directory";
	return entry.isSymbolicLink() ? "link" : "other";
}

/** The branch as git's oldest versions stored it, and the socket of its own daemon. */
function isUsual(directory: string, name: string, kind: Kind): boolean {
	if (kind !== "link") return name === "fsmonitor--daemon.ipc";
	return (
		name === "HEAD" && /^refs\/heads\/(?![^]*\.\.)[^\0- \x7f]+$/.test(linkTarget(join(directory, name)) ?? "")
	);
}

/** A repository among submodules, or among what git does not read. */
function placeAt(place: GitPlace, names: ReadonlySet<string>): GitPlace {
	if (!isRepositoryWith(names)) return place;
	if (place.role === "modules") return moduleDirectory;
	return place.role === "unread" ? gitDirectory : place;
}
