/** Copies files out of our executable: the system can neither run a program nor load a library that is inside of it. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { log, temporaryDirectory } from "@tau/utils";

export interface Unpacked {
	/** The file inside of the executable. */
	source: string;
	name: string;
	/** The cache; where it cannot be written, a private temporary directory serves this process. */
	directory: string;
}

/** Throws with the reason if the file cannot be written anywhere. */
export function unpack({ source, name, directory }: Unpacked): string {
	const content = readFileSync(source);
	try {
		mkdirSync(directory, { recursive: true, mode: 0o700 });
		return written(content, join(directory, name));
	} catch (error) {
		log.warn("the cache cannot be written", { directory, reason: String(error) });
		try {
			return written(content, join(privateDirectory(), name));
		} catch (other) {
			throw new Error(`${name} cannot be unpacked: ${reason(error)}; ${reason(other)}.`, { cause: other });
		}
	}
}

/** Written elsewhere and renamed, so that two concurrent starts never use an incomplete file. */
function written(content: Uint8Array, target: string): string {
	const there = statSync(target, { throwIfNoEntry: false });
	if (there?.isFile() && there.size === content.length) return target;
	const draft = `${target}.${process.pid}.tmp`;
	try {
		writeFileSync(draft, content);
		chmodSync(draft, 0o700);
		renameSync(draft, target);
		return target;
	} catch (error) {
		rmSync(draft, { force: true });
		throw error;
	}
}

let temporary: string | undefined;

function privateDirectory(): string {
	if (temporary !== undefined) return temporary;
	const made = temporaryDirectory("unpacked");
	process.once("exit", () => rmSync(made, { recursive: true, force: true }));
	return (temporary = made);
}

function reason(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
