/** Runs the user's `footer.command` after each change, and gives its first line to the footer. */
import { commandEnvironment, runProgram } from "@tau/sys";
import { log, oneLine, stripControls, timer, type Env } from "@tau/utils";

import { limits } from "./limits.ts";

export interface StatusCommandParts {
	/** The current command; undefined if there is none. */
	command(): string | undefined;
	/** What the command reads on standard input, as JSON. */
	facts(): Record<string, unknown>;
	cwd(): string;
	/** Keys of providers are left out of it. */
	env(): Env;
	show(text: string | undefined): void;
}

export class StatusCommand implements Disposable {
	readonly #parts: StatusCommandParts;
	#waiting: Disposable | undefined;
	#running: AbortController | undefined;
	/** Something has changed while the command ran. */
	#isStale = false;
	#isDisposed = false;

	constructor(parts: StatusCommandParts) {
		this.#parts = parts;
	}

	/** Something that the command may show has changed. */
	touch(): void {
		if (this.#running) this.#isStale = true;
		else
			this.#waiting ??= timer(limits.statusCommandEveryMs, () => {
				this.#waiting = undefined;
				const command = this.#parts.command();
				if (command === undefined) this.#parts.show(undefined);
				else void this.#run(command);
			});
	}

	[Symbol.dispose](): void {
		this.#isDisposed = true;
		this.#waiting?.[Symbol.dispose]();
		this.#running?.abort();
	}

	async #run(command: string): Promise<void> {
		const controller = new AbortController();
		this.#running = controller;
		this.#isStale = false;
		const output = new FirstLine(() => controller.abort());
		try {
			await runProgram({
				command: ["sh", "-c", command],
				cwd: this.#parts.cwd(),
				env: commandEnvironment(this.#parts.env()),
				input: JSON.stringify(this.#parts.facts()),
				timeoutMs: limits.statusCommandMs,
				signal: controller.signal,
				onOutput: (chunk) => output.add(chunk),
				onError: () => {},
			});
			if (!this.#isDisposed) this.#parts.show(output.text === "" ? undefined : output.text);
		} catch (error) {
			log.warn("footer.command failed", { reason: String(error) });
		}
		this.#running = undefined;
		if (this.#isStale && !this.#isDisposed) this.touch();
	}
}

/** The rest is not read: a command that never ends must not be waited for. */
class FirstLine {
	readonly #decoder = new TextDecoder();
	readonly #onComplete: () => void;
	#read = "";

	constructor(onComplete: () => void) {
		this.#onComplete = onComplete;
	}

	get text(): string {
		const [line = ""] = stripControls(this.#read).split("\n");
		return oneLine(line, limits.lineChars);
	}

	add(chunk: Uint8Array): void {
		if (this.#isComplete) return;
		this.#read += this.#decoder.decode(chunk, { stream: true });
		if (this.#isComplete) this.#onComplete();
	}

	get #isComplete(): boolean {
		return this.#read.includes("\n") || this.#read.length > limits.lineChars;
	}
}
