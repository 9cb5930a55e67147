/** What agents answered, by their names: as files beside the session's own, or in memory where it is not stored. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { log } from "@tau/utils";

import { limits } from "../run/limits.ts";

const suffix = ".md";

export class AgentOutputs {
	readonly #directory: () => string | undefined;
	/** Outputs that no file holds, oldest first. */
	readonly #inMemory = new Map<string, string>();

	/** Called each time, because a session may move; undefined if it is not stored. */
	constructor(directory: () => string | undefined) {
		this.#directory = directory;
	}

	/** The file with the output, if there is one. */
	write(id: string, text: string): string | undefined {
		const directory = this.#directory();
		if (directory !== undefined) {
			const path = join(directory, id + suffix);
			try {
				mkdirSync(directory, { recursive: true, mode: 0o700 });
				writeFileSync(path, text, { mode: 0o600 });
				this.#inMemory.delete(id);
				return path;
			} catch (error) {
				// A full disk costs no answer: it stays readable while the process lives.
				log.warn("the output of an agent was not stored", { path, reason: String(error) });
			}
		}
		this.#inMemory.set(id, text);
		for (const old of this.#inMemory.keys()) {
			if (this.#inMemory.size <= limits.agentOutputs) break;
			this.#inMemory.delete(old);
		}
		return undefined;
	}

	read(id: string): string | undefined {
		const known = this.#inMemory.get(id);
		const directory = this.#directory();
		// An id is a name, never a path.
		if (known !== undefined || directory === undefined || !isAgentId(id)) return known;
		try {
			return readFileSync(join(directory, id + suffix), "utf8");
		} catch {
			// There is no such output.
			return undefined;
		}
	}

	/** The ids of all outputs. */
	list(): string[] {
		const files = namesIn(this.#directory()).filter((name) => name.endsWith(suffix));
		return [...new Set([...files.map((name) => name.slice(0, -suffix.length)), ...this.#inMemory.keys()])];
	}

	/** Names that agents of this session have had, also in earlier processes: they are not given again. */
	taken(): Set<string> {
		const files = namesIn(this.#directory()).map((name) => name.replace(/\.(?:md|jsonl)$/, ""));
		return new Set([...files, ...this.#inMemory.keys()]);
	}
}

export function isAgentId(id: string): boolean {
	return /^[\w-]+(?:\.[\w-]+)*$/.test(id);
}

function namesIn(directory: string | undefined): string[] {
	if (directory === undefined) return [];
	try {
		return readdirSync(directory).filter((name) => /\.(?:md|jsonl)$/.test(name));
	} catch {
		// Without a directory there are no outputs.
		return [];
	}
}
