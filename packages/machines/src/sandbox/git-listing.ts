/** Lists a directory of a repository by its description: which directories come next, which files to read, and what is odd. */
import { lstatSync, readdirSync, readlinkSync, type Dirent } from "node:fs";
import { join } from "node:path";

import { gitDirectory, type GitPlace } from "./git-layout.ts";
import type { TextRule } from "./git-texts.ts";

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
		const place = placeAt(given, new Set(entries.map(({ name }) => name.toLowerCase())));
		if (place.role === "unread" && place.refused === undefined)
			return { place, below: [], odd: [], texts: [], indexes: [] };
		const usual = entries.filter(({ name }) => !name.includes("\ufffd"));
		const listed = listedOf(directory, place, usual);
		return usual.length === entries.length ? listed : withOddNames(directory, listed);
	} catch {
		// It is gone, or closed.
		return undefined;
	}
}

function listedOf(directory: string, place: GitPlace, entries: readonly Dirent[]): Listed {
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
	const isRepository = place.role === "repository";
	const indexes = isRepository ? entries.map(({ name }) => name).filter((name) => indexName.test(name)) : [];
	return { place, below, odd, texts, indexes };
}

/** Git goes through directories and links whose names are not text, and we do not. */
function withOddNames(directory: string, listed: Listed): Listed {
	const { place } = listed;
	const odd = [...listed.odd];
	const texts = [...listed.texts];
	for (const name of readdirSync(directory, { encoding: "buffer" })) {
		if (Buffer.from(name.toString("utf8")).equals(name)) continue;
		const file = { directory, name };
		const isFile = lstatSync(Buffer.concat([Buffer.from(`${directory}/`), name])).isFile();
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

function kindOf(entry: Dirent, path: string): Kind {
	const known = kindBy(entry);
	if (known !== "other") return known;
	// Some file systems do not tell.
	const stats = lstatSync(path, { throwIfNoEntry: false });
	return stats === undefined ? "other" : kindBy(stats);
}

function kindBy(entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): Kind {
	if (entry.isFile()) return "file";
	if (entry.isDirectory()) return "directory";
	return entry.isSymbolicLink() ? "link" : "other";
}

/** The branch as git's oldest versions stored it, and the socket of its own daemon. */
function isUsual(directory: string, name: string, kind: Kind): boolean {
	if (kind !== "link") return name === "fsmonitor--daemon.ipc";
	return name === "HEAD" && /^refs\/heads\/(?!.*\.\.)/.test(readlinkSync(join(directory, name)));
}

/** A repository among submodules, or among what git does not read. */
function placeAt(place: GitPlace, names: ReadonlySet<string>): GitPlace {
	const hasHead = names.has("head");
	if (place.role === "modules") return hasHead ? gitDirectory : place;
	const isRepository = hasHead && (names.has("commondir") || (names.has("objects") && names.has("refs")));
	return place.role === "unread" && isRepository ? gitDirectory : place;
}
