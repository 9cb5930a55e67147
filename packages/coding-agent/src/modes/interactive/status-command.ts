/** Runs the user's `footer.command` after each change, and gives its first line to the footer. */
import { log, oneLine, stripControls, timer } from "@tau/utils";

import { limits } from "./limits.ts";

export interface StatusCommandParts {
	/** The current command; undefined if there is none. */
	command(): string | undefined;
	/** What the command reads on standard input, as JSON. */
	facts(): Record<string, unknown>;
	cwd(): string;
	show(text: string | undefined): void;
}

export class StatusCommand implements Disposable {
	readonly #parts: StatusCommandParts;
	#waiting: Disposable | undefined;
	#running: Bun.Subprocess<Blob, "pipe", "ignore"> | undefined;
	/** Something has changed while the command ran. */
	#isStale = false;
	#isDisposed = false;

	constructor(parts: StatusCommandParts) {
		this.#parts = parts;
	}

	/** Something that the command may show has changed. */
	touch(): void {
		if (this.#parts.command() === undefined && !this.#running) return this.#parts.show(undefined);
		if (this.#running) this.#isStale = true;
		else
			this.#waiting ??= timer(limits.statusCommandEveryMs, () => {
				this.#waiting = undefined;
				void this.#run();
			});
	}

	[Symbol.dispose](): void {
		this.#isDisposed = true;
		this.#waiting?.[Symbol.dispose]();
		this.#running?.kill("SIGKILL");
	}

	async #run(): Promise<void> {
		const command = this.#parts.command();
		if (command === undefined || this.#isDisposed) return;
		this.#isStale = false;
		try {
			this.#running = Bun.spawn(["sh", "-c", command], {
				cwd: this.#parts.cwd(),
				stdin: new Blob([JSON.stringify(this.#parts.facts())]),
				stdout: "pipe",
				stderr: "ignore",
				timeout: limits.statusCommandMs,
				killSignal: "SIGKILL",
			});
			const text = await firstLine(this.#running.stdout);
			this.#running.kill("SIGKILL");
			await this.#running.exited;
			if (!this.#isDisposed) this.#parts.show(text === "" ? undefined : text);
		} catch (error) {
			log.warn("footer.command failed", { reason: String(error) });
		}
		this.#running = undefined;
		if (this.#isStale && !this.#isDisposed) this.touch();
	}
}

/** The rest is not read: a command that never ends must not be waited for. */
async function firstLine(output: AsyncIterable<Uint8Array>): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of output) {
		text += decoder.decode(chunk, { stream: true });
		if (text.includes("\n") || text.length > limits.lineChars) break;
	}
	const [line = ""] = stripControls(text).split("\n");
	return oneLine(line, limits.lineChars);
}
