/** One conversation as an append-only file of JSON lines. */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

import type { AgentMessage } from "@tau/agent";
import { cutUtf8Bytes, shortId, uuidv7 } from "@tau/utils";

import { sessionVersion, type MessageEntry, type SessionHeader } from "./entry.ts";
import { limits } from "./limits.ts";

export class SessionLog implements Disposable {
	readonly header: SessionHeader;
	readonly path: string;
	readonly #ids = new Set<string>();
	#leaf: string | null = null;
	#file: number | undefined;

	/** Nothing is on disk until the first message: a session in which nothing was said leaves no file. */
	constructor(sessionsDir: string, cwd: string) {
		const timestamp = new Date().toISOString();
		this.header = { type: "session", version: sessionVersion, id: uuidv7(), timestamp, cwd };
		const name = `${timestamp.replaceAll(/[:.]/g, "-")}_${this.header.id}.jsonl`;
		this.path = join(sessionsDir, directoryName(cwd), name);
	}

	/**
	 * The line is whole in the file when this returns. Throws what the file system says; the last line may be torn
	 * then, so that nothing more may be written after it.
	 */
	appendMessage(message: AgentMessage): MessageEntry {
		const entry: MessageEntry = {
			type: "message",
			id: shortId((id) => this.#ids.has(id)),
			parentId: this.#leaf,
			timestamp: new Date().toISOString(),
			message,
		};
		this.#write(entry);
		this.#ids.add(entry.id);
		this.#leaf = entry.id;
		return entry;
	}

	[Symbol.dispose](): void {
		if (this.#file !== undefined) closeSync(this.#file);
		this.#file = undefined;
	}

	#write(entry: MessageEntry): void {
		const line = `${JSON.stringify(entry)}\n`;
		if (this.#file !== undefined) {
			writeWhole(this.#file, line);
			return;
		}
		mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
		this.#file = openSync(this.path, "ax", 0o600);
		writeWhole(this.#file, `${JSON.stringify(this.header)}\n${line}`);
	}
}

/** The kernel may take less than it was given, most of all when the disk runs full. */
function writeWhole(file: number, text: string): void {
	let rest = Buffer.from(text);
	while (rest.length > 0) rest = rest.subarray(writeSync(file, rest));
}

/** `/work/main` becomes `--work-main--`, as in the directories of pi and omp. */
function directoryName(cwd: string): string {
	const plain = cwd.replace(/^[/\\]/, "").replaceAll(/[/\\:]/g, "-");
	const name = `--${plain}--`;
	if (Buffer.byteLength(name) <= limits.fileNameBytes) return name;
	const tail = cutUtf8Bytes(Buffer.from(plain), limits.directoryTailBytes, "tail");
	return `--${Bun.hash(cwd).toString(36)}-${new TextDecoder().decode(tail)}--`;
}
