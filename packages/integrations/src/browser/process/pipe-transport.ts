/** Chrome's protocol over the input and output of its program: messages of JSON, each with a NUL at its end. */
import type { RunningProgram } from "@tau/sys";

import { limits } from "../limits.ts";

/** As puppeteer wants it. */
export class PipeTransport {
	onmessage?: (message: string) => void;
	onclose?: () => void;
	readonly #program: Pick<RunningProgram, "input" | "output">;
	#pieces: Buffer[] = [];
	#length = 0;
	#isClosed = false;

	constructor(program: Pick<RunningProgram, "input" | "output">) {
		this.#program = program;
		program.output.on("data", (chunk: Buffer) => this.#take(chunk));
		program.output.once("close", () => this.close());
		program.output.once("end", () => this.close());
		// The end of the program is what counts.
		program.output.on("error", () => this.close());
	}

	send(message: string): void {
		if (!this.#isClosed) this.#program.input.write(`${message}\0`);
	}

	close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#pieces = [];
		this.#program.input.end();
		this.onclose?.();
	}

	#take(chunk: Buffer): void {
		let start = 0;
		for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
			this.#pieces.push(chunk.subarray(start, end));
			const whole = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
			this.#pieces = [];
			this.#length = 0;
			start = end + 1;
			if (!this.#isClosed && whole) this.onmessage?.(whole.toString("utf8"));
		}
		if (start === chunk.length || this.#isClosed) return;
		this.#pieces.push(chunk.subarray(start));
		this.#length += chunk.length - start;
		if (this.#length > limits.messageBytes) this.close();
	}
}
