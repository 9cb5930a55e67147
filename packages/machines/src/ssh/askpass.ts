/** Lets ssh ask the user: its questions reach Tau through a file, and the answers go back through a pipe, never a disk. */
import {
	closeSync,
	constants,
	openSync,
	readdirSync,
	readFileSync,
	rmSync,
	watch,
	writeFileSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";

import { delay, errorCode, log } from "@tau/utils";

import { limits } from "./limits.ts";

export interface SshQuestion {
	/** In the words of ssh. */
	readonly prompt: string;
	/** `secret`: a password, a passphrase or a PIN; `confirm`: yes or no, as for the key of an unknown host. */
	readonly kind: "secret" | "confirm";
}

/** Undefined if the user declines. A confirmation is answered with `yes`. */
export type AskUser = (question: SshQuestion, signal: AbortSignal) => Promise<string | undefined>;

/** Waits for the answer on a named pipe; its first line says whether there is one. */
const script = `#!/bin/sh
a="@DIR@/a$$"
mkfifo -m 600 "$a" || exit 1
printf '%s' "$1" >"@DIR@/q$$.new" && mv "@DIR@/q$$.new" "@DIR@/q$$" || exit 1
{ IFS= read -r k; if [ "$k" = yes ]; then cat; else exit 1; fi; } <"$a"
`;

export class AskPass implements AsyncDisposable {
	readonly #directory: string;
	readonly #ask: AskUser | undefined;
	readonly #stop = new AbortController();
	readonly #seen = new Set<string>();
	readonly #open: Promise<void>[] = [];
	readonly #owned = new DisposableStack();

	/** `directory`: only this user can access it. */
	static start(directory: string, ask: AskUser | undefined): AskPass {
		return new AskPass(directory, ask);
	}

	private constructor(directory: string, ask: AskUser | undefined) {
		this.#directory = directory;
		this.#ask = ask;
		if (!ask) return;
		writeFileSync(this.#program, script.replaceAll("@DIR@", directory), { mode: 0o700 });
		const watcher = watch(directory, () => this.#look());
		watcher.on("error", (error) => log.warn("questions of ssh cannot be seen", { reason: String(error) }));
		this.#owned.defer(() => watcher.close());
	}

	/** For the environment of ssh. An ssh before 8.4 needs a display as well. */
	get variables(): Record<string, string> {
		if (!this.#ask) return { SSH_ASKPASS: "/bin/false", SSH_ASKPASS_REQUIRE: "never" };
		return { SSH_ASKPASS: this.#program, SSH_ASKPASS_REQUIRE: "force", DISPLAY: process.env.DISPLAY ?? ":0" };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#stop.abort();
		this.#owned.dispose();
		await Promise.allSettled(this.#open);
		if (this.#ask) rmSync(this.#program, { force: true });
	}

	get #program(): string {
		return join(this.#directory, "askpass");
	}

	#look(): void {
		for (const name of readdirSync(this.#directory)) {
			if (!/^q\d+$/.test(name) || this.#seen.has(name)) continue;
			this.#seen.add(name);
			this.#open.push(this.#answer(name));
		}
	}

	async #answer(name: string): Promise<void> {
		const path = join(this.#directory, name);
		const pipe = join(this.#directory, `a${name.slice(1)}`);
		const prompt = readFileSync(path, "utf8").slice(0, limits.promptChars);
		const kind = /\(yes\/no|authenticity of host|\[y\/n\]/i.test(prompt) ? "confirm" : "secret";
		let answer: string | undefined;
		try {
			answer = await this.#ask?.({ prompt, kind }, this.#stop.signal);
		} catch (error) {
			log.debug("a question of ssh was not answered", { reason: String(error) });
		}
		await send(pipe, answer === undefined ? "no\n" : `yes\n${answer}\n`);
		for (const each of [path, pipe]) rmSync(each, { force: true });
	}
}

async function send(pipe: string, text: string): Promise<void> {
	for (let attempt = 0; attempt < limits.answerAttempts; attempt++) {
		try {
			// Not waiting: ssh may have given up, and then nobody ever reads.
			const file = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
			try {
				writeSync(file, text);
			} finally {
				closeSync(file);
			}
			return;
		} catch (error) {
			// The helper has not opened it yet.
			if (errorCode(error) !== "ENXIO") return;
			await delay(limits.answerWaitMs);
		}
	}
}
