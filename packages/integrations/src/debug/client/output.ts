/** The newest output of a debuggee, and how much of it the model has seen. */
import { ControlStripper } from "@tau/utils";

import { limits } from "../limits.ts";

/** A category of another name counts as one: each has a stripper of its own. */
const streams = new Set(["stdout", "stderr", "terminal"]);

/** Before each message of a log point: debugpy sends them as standard output, and not in order with that of the program. */
export const logMark = "[log] ";

export class DebuggeeOutput {
	readonly #streams = new Map<string, { controls: ControlStripper; line: string }>();
	#text = "";
	/** The stream whose unfinished line ends the text. */
	#unfinished: string | undefined;
	/** Characters that were dropped since the model last looked. */
	#dropped = 0;
	#seen = 0;
	/** Lines that are left out. */
	readonly #noise: RegExp | undefined;

	constructor(noise?: RegExp) {
		this.#noise = noise;
	}

	/** Each stream may end in the middle of a control sequence or of a line: another's line is not put into it. */
	add(text: string, category: string): void {
		const name = text.includes(logMark) ? "log" : streams.has(category) ? category : "console";
		let stream = this.#streams.get(name);
		if (!stream) this.#streams.set(name, (stream = { controls: new ControlStripper(), line: "" }));
		const added = stream.controls.push(text);
		const end = added.lastIndexOf("\n") + 1;
		if (end > 0) {
			const lines = this.#withoutNoise(stream.line + added.slice(0, end));
			if (lines !== "") this.#append(lines, name);
			stream.line = "";
		}
		stream.line += added.slice(end);
		if (stream.line.length > limits.outputChars) this.#flush();
	}

	#withoutNoise(lines: string): string {
		const noise = this.#noise;
		if (!noise) return lines;
		const kept = lines.split("\n").filter((line) => !noise.test(line));
		return kept.join("\n");
	}

	#append(text: string, stream: string): void {
		if (this.#unfinished !== undefined && this.#unfinished !== stream) this.#text += "\n";
		this.#text += text;
		this.#unfinished = text.endsWith("\n") ? undefined : stream;
		// Twice the bound, so that a flood of short lines does not copy everything for each of them.
		if (this.#text.length > 2 * limits.outputChars) this.#trim();
	}

	/** A prompt has no line feed: reading the text returns unfinished lines too. */
	#flush(): void {
		for (const [name, stream] of this.#streams) {
			if (stream.line !== "") this.#append(stream.line, name);
			stream.line = "";
		}
	}

	#trim(): void {
		const excess = this.#text.length - limits.outputChars;
		if (excess <= 0) return;
		this.#text = this.#text.slice(excess);
		this.#dropped += Math.max(0, excess - this.#seen);
		this.#seen = Math.max(0, this.#seen - excess);
	}

	/** What the model has not seen; of more than `chars`, the end. */
	unseen(chars: number): string {
		this.#flush();
		const text = this.#text.slice(this.#seen);
		const omitted = this.#dropped + Math.max(0, text.length - chars);
		this.#seen = this.#text.length;
		this.#dropped = 0;
		return omitted > 0 ? `[${omitted} characters omitted]\n${text.slice(-chars)}` : text;
	}

	/** With unfinished lines at its end, which may go on. */
	get all(): string {
		this.#trim();
		let text = this.#text;
		let unfinished = this.#unfinished;
		for (const [name, { line }] of this.#streams) {
			if (line === "") continue;
			text += unfinished === undefined || unfinished === name ? line : `\n${line}`;
			unfinished = name;
		}
		return text.slice(-limits.outputChars);
	}
}
