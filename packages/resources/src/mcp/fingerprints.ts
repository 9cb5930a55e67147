/** Remembers what the tools of servers said of themselves when the user last let them run. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { isRecord, log } from "@tau/utils";

import { limits } from "./limits.ts";
import type { NamedTool } from "./manager.ts";
import type { FoundServer } from "./types.ts";

interface Described {
	found: FoundServer;
	definition: NamedTool["definition"];
}

export class Fingerprints {
	readonly #file: string;
	#known: Map<string, string> | undefined;

	constructor(file: string) {
		this.#file = file;
	}

	/** False for a tool that never ran: then the approval of its first call covers it. */
	hasChanged(tool: Described): boolean {
		const before = this.#all.get(keyOf(tool));
		return before !== undefined && before !== contentOf(tool.definition);
	}

	/** The call was allowed. */
	remember(tool: Described): void {
		const [key, content] = [keyOf(tool), contentOf(tool.definition)];
		if (this.#all.get(key) === content) return;
		// Another process may have remembered others.
		this.#known = this.#read();
		this.#known.delete(key);
		this.#known.set(key, content);
		const kept = [...this.#known].slice(-limits.fingerprints);
		try {
			mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
			const draft = `${this.#file}.${process.pid}.tmp`;
			writeFileSync(draft, JSON.stringify(Object.fromEntries(kept)), { mode: 0o600 });
			renameSync(draft, this.#file);
		} catch (error) {
			log.warn("what MCP tools say of themselves could not be stored", { reason: String(error) });
		}
	}

	get #all(): Map<string, string> {
		return (this.#known ??= this.#read());
	}

	#read(): Map<string, string> {
		try {
			const value: unknown = JSON.parse(readFileSync(this.#file, "utf8"));
			const entries = isRecord(value) ? Object.entries(value) : [];
			return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
		} catch {
			// No tool has run yet, or the file is damaged: the tools are asked about as new ones.
			return new Map();
		}
	}
}

/** Servers of two projects may have the same name; secrets in `env` and `headers` may change without a difference. */
function keyOf({ found: { name, config }, definition }: Described): string {
	const { transport, command, args, cwd, url } = config;
	return `${name}/${hashOf([transport, command, args, cwd, url])}/${definition.name}`;
}

/** Annotations count: what was read-only may no longer be. */
function contentOf({ description, inputSchema, annotations, title }: NamedTool["definition"]): string {
	return hashOf([title, description, inputSchema, annotations]);
}

function hashOf(values: readonly unknown[]): string {
	const text = JSON.stringify(values);
	return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16);
}
