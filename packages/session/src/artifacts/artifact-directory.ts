/** Stores long outputs as numbered files in the directory of their session. */
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

import type { Artifact, ArtifactExtension, ArtifactStore } from "./artifacts.ts";
import { limits } from "../run/limits.ts";

export class ArtifactDirectory implements ArtifactStore {
	readonly #directory: () => string;
	/** The last number and its directory: a number is never reused, even if its file was deleted meanwhile. */
	#last = { directory: "", id: -1 };

	/** Called each time, because a session may move. */
	constructor(directory: () => string) {
		this.#directory = directory;
	}

	open(tool: string, extension: ArtifactExtension = "log"): Artifact {
		const directory = this.#directory();
		mkdirSync(directory, { recursive: true, mode: 0o700 });
		let taken = Math.max(highest(directory), this.#last.directory === directory ? this.#last.id : -1);
		for (let attempt = 0; attempt < limits.artifactAttempts; attempt++) {
			// Two processes that collided continue with different steps.
			const id = taken + 1 + Math.floor(Math.random() * attempt);
			const path = join(directory, `${id}.${fileWord(tool)}.${extension}`);
			const handle = openNew(path);
			if (handle !== undefined && isOnly(directory, id)) {
				this.#last = { directory, id };
				return new ArtifactFile(String(id), path, handle);
			}
			if (handle !== undefined) giveUp(path, handle);
			taken = Math.max(taken, highest(directory));
		}
		throw new Error(`No artifact number is free in ${directory}.`);
	}

	find(id: string): string | undefined {
		if (!/^\d+$/.test(id)) return undefined;
		const directory = this.#directory();
		const name = names(directory).find((candidate) => candidate.startsWith(`${id}.`));
		return name === undefined ? undefined : join(directory, name);
	}
}

/**
 * The artifacts of an agent are those of the session at the top, so that an address in its report opens the same file
 * there. Agents of version 0.2 have a directory of their own, in which their addresses still lead.
 */
export function sharedArtifacts(shared: ArtifactStore, own: ArtifactStore): ArtifactStore {
	return {
		open: (...args) => shared.open(...args),
		find: (id) => own.find(id) ?? shared.find(id),
	};
}

class ArtifactFile implements Artifact {
	readonly id: string;
	readonly path: string;
	lost = 0;
	#handle: number | undefined;

	constructor(id: string, path: string, handle: number) {
		this.id = id;
		this.path = path;
		this.#handle = handle;
	}

	write(chunk: Uint8Array): void {
		let written = 0;
		try {
			while (this.#handle !== undefined && written < chunk.length) {
				written += writeSync(this.#handle, chunk, written);
			}
		} catch {
			// The caller reports how much is missing; the output itself continues.
		}
		this.lost += chunk.length - written;
	}

	[Symbol.dispose](): void {
		if (this.#handle !== undefined) closeSync(this.#handle);
		this.#handle = undefined;
	}
}

/** Returns undefined if the name is taken, including by another process. */
function openNew(path: string): number | undefined {
	try {
		return openSync(path, "wx", 0o600);
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "EEXIST") return undefined;
		throw error;
	}
}

/**
 * Another process may have given the same number to another tool. A process that sees two files gives up its own:
 * if both look after both files exist, both give up, and never neither.
 */
function isOnly(directory: string, id: number): boolean {
	return names(directory).filter((name) => name.startsWith(`${id}.`)).length === 1;
}

function giveUp(path: string, handle: number): void {
	closeSync(handle);
	rmSync(path, { force: true });
}

/** Returns -1 if there are no artifacts. */
function highest(directory: string): number {
	return names(directory).reduce((most, name) => Math.max(most, Number.parseInt(name, 10)), -1);
}

function names(directory: string): string[] {
	try {
		return readdirSync(directory).filter((name) => /^\d+\.[^/]*\.(?:log|png|jpeg|webp|gif)$/.test(name));
	} catch {
		// Without a directory there are no artifacts.
		return [];
	}
}

/** Tools of servers and extensions may have any name. */
function fileWord(tool: string): string {
	return tool.replaceAll(/[^\w-]+/g, "_").slice(0, limits.artifactToolChars) || "tool";
}
