/** Collects files of code with their hashes: each file with all that it imports, within bounds. */
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, relative } from "node:path";

import { isRecord } from "@tau/utils";

import { entriesOf, isLoop, kindOf } from "@tau/resources/discovery";
import { limits } from "../support/limits.ts";
import { importsOf, packagesOf } from "./code-imports.ts";

/** Hashes by path, relative to the project. */
export type ProjectCode = Readonly<Record<string, string>>;

/** The entry for the files beyond `limits.codeFiles`. */
const others = "(other files)";
/** A hash that equals none: what is not looked at completely counts as changed. */
export const unknownHash = "incomplete";

export class CodeList {
	readonly #cwd: string;
	/** Packages outside of it are the user's. */
	readonly #root: string;
	readonly #hashes = new Map<string, string>();
	readonly #seen = new Set<string>();
	readonly #pending: string[] = [];
	readonly #others = new Bun.CryptoHasher("sha256");
	#otherCount = 0;
	#looks = 0;
	#bytes = 0;
	#nameChars = 0;

	constructor(cwd: string, root: string) {
		this.#cwd = cwd;
		this.#root = root;
	}

	get code(): ProjectCode {
		const found = [...this.#hashes];
		if (this.#looks >= limits.codeLooks) found.push([others, unknownHash]);
		else if (this.#otherCount > 0) found.push([others, this.#others.copy().digest("hex")]);
		return Object.fromEntries(found);
	}

	/** Adds a file and what it imports; nothing happens for a path that is no readable file. */
	add(path: string): void {
		this.#pending.push(path);
		for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) this.#addFile(next);
	}

	/** Adds the files of a directory and of those below it, except hidden ones and installed packages. */
	addTree(directory: string, depth = 0): void {
		if (this.#looks++ >= limits.codeLooks) return;
		for (const entry of entriesOf(directory)) {
			const kind = kindOf(entry, directory);
			const path = join(directory, entry.name);
			if (kind === "file") this.add(path);
			else if (kind === "directory" && depth < limits.codeDepth && !isLoop(entry, directory))
				this.addTree(path, depth + 1);
		}
	}

	addText(name: string, text: string): void {
		this.#set(name, sha256(text));
	}

	#addFile(path: string): void {
		const name = relative(this.#cwd, path);
		if (this.#seen.has(name) || this.#looks++ >= limits.codeLooks) return;
		this.#seen.add(name);
		const read = this.#read(path);
		if (!read) return;
		this.#set(name, read.hash);
		if (!read.data) return;
		const { files, packages } = importsOf(realpathSync(path), read.data, this.#root);
		this.#pending.push(...files);
		for (const root of packages) this.#addPackage(root);
	}

	#set(name: string, hash: string): void {
		this.#nameChars += name.length;
		if (this.#hashes.size < limits.codeFiles && this.#nameChars <= limits.codeNameChars)
			this.#hashes.set(name, hash);
		else {
			this.#otherCount++;
			this.#others.update(`${name}\0${hash}\0`);
		}
	}

	/** One entry for each package, with those that it depends on. */
	#addPackage(root: string): void {
		const name = relative(this.#cwd, root);
		if (this.#seen.has(name)) return;
		this.#seen.add(name);
		const hasher = new Bun.CryptoHasher("sha256");
		this.#digestTree(root, "", hasher);
		this.#set(name, hasher.digest("hex"));
		for (const found of packagesOf(dependenciesOf(root), root, this.#root)) this.#addPackage(found);
	}

	#digestTree(root: string, below: string, hasher: Bun.CryptoHasher): void {
		for (const entry of allEntries(join(root, below))) {
			if (this.#looks++ >= limits.codeLooks || entry.name === "node_modules") continue;
			const name = join(below, entry.name);
			if (entry.isDirectory()) this.#digestTree(root, name, hasher);
			else hasher.update(`${name}\0${this.#read(join(root, name))?.hash ?? ""}\0`);
		}
	}

	#read(path: string): { hash: string; data?: Buffer } | undefined {
		try {
			const info = statSync(path);
			if (!info.isFile()) return undefined;
			if (this.#bytes + info.size > limits.codeBytes) return { hash: `${info.size} ${info.ctimeMs}` };
			const data = readFileSync(path);
			this.#bytes += data.length;
			return { hash: sha256(data), data };
		} catch {
			// What cannot be read cannot be run either.
			return undefined;
		}
	}
}

function dependenciesOf(root: string): string[] {
	try {
		const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
		const groups = isRecord(manifest)
			? ["dependencies", "optionalDependencies", "peerDependencies"].map((key) => manifest[key])
			: [];
		return groups.flatMap((group) => (isRecord(group) ? Object.keys(group) : []));
	} catch {
		// Without a manifest it has no dependencies.
		return [];
	}
}

function allEntries(directory: string): ReturnType<typeof entriesOf> {
	try {
		return readdirSync(directory, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
	} catch {
		// It was removed meanwhile.
		return [];
	}
}

function sha256(data: string | Uint8Array): string {
	return new Bun.CryptoHasher("sha256").update(data).digest("hex");
}
