/** Keeps what is being written where a crash cannot take it, and finds it again at the next start. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { isRunning, log, timer } from "@tau/utils";

import { limits } from "./limits.ts";

export interface DraftOptions {
	/** The directory of all drafts. */
	directory: string;
	cwd: string;
	pid?: number;
	isAlive?: (pid: number) => boolean;
}

export class PromptDrafts implements Disposable {
	readonly #directory: string;
	readonly #place: string;
	readonly #pid: number;
	readonly #isAlive: (pid: number) => boolean;
	#text = "";
	#stashed = "";
	#written = "";
	#waiting: Disposable | undefined;

	constructor({ directory, cwd, pid = process.pid, isAlive = isRunning }: DraftOptions) {
		this.#directory = directory;
		this.#place = Bun.hash(cwd).toString(36);
		this.#pid = pid;
		this.#isAlive = isAlive;
	}

	/** The draft of an ended process in this directory; it is removed, so that no other process finds it too. */
	takeLeftOver(): string | undefined {
		const left = this.#names().filter((name) => {
			const [place, pid] = name.slice(0, -".txt".length).split("-");
			return place === this.#place && Number(pid) !== this.#pid && !this.#isAlive(Number(pid));
		});
		const texts = left.map((name) => this.#take(join(this.#directory, name))).filter((text) => text !== "");
		return texts.length > 0 ? texts.join("\n\n") : undefined;
	}

	/** What is written now; on disk as soon as typing pauses. */
	set(text: string): void {
		this.#text = text.slice(0, limits.draftChars);
		this.#waiting ??= timer(limits.draftMs, () => {
			this.#waiting = undefined;
			this.flush();
		});
	}

	/** What was put aside; it is rare, and on disk at once. */
	setStashed(text: string): void {
		this.#stashed = text.slice(0, limits.draftChars);
		this.flush();
	}

	flush(): void {
		const text = [this.#stashed, this.#text].filter(Boolean).join("\n\n");
		if (text === this.#written) return;
		const path = join(this.#directory, `${this.#place}-${this.#pid}.txt`);
		try {
			if (text === "") rmSync(path, { force: true });
			else {
				mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
				// Drafts are private: only the owner can read them.
				writeFileSync(path, text, { mode: 0o600 });
			}
			this.#written = text;
		} catch (error) {
			log.warn("cannot save the draft", { path, reason: String(error) });
		}
	}

	/** What is not sent stays for the next start. */
	[Symbol.dispose](): void {
		this.#waiting?.[Symbol.dispose]();
		this.flush();
	}

	#names(): string[] {
		try {
			return readdirSync(this.#directory).filter((name) => name.endsWith(".txt"));
		} catch {
			// There is no draft yet.
			return [];
		}
	}

	#take(path: string): string {
		try {
			const text = readFileSync(path, "utf8");
			rmSync(path);
			return text;
		} catch (error) {
			log.warn("cannot read a draft", { path, reason: String(error) });
			return "";
		}
	}
}
