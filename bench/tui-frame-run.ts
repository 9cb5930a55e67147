/** One run of the terminal's bench, in a process of its own: prints what it has measured. */
import type { Clock, Component, Terminal, TranscriptBlock } from "@tau/tui";

export interface Measured {
	/** A frame with 100 and with 100,000 rows above it. */
	shortUs: number;
	longUs: number;
	keyMs: number;
	firstMs: number;
	importMs: number;
	streamMs: number;
	streamKB: number;
	halfStreamMs: number;
}

const started = performance.now();
const { Text, Transcript, TUI } = await import("@tau/tui");
const importMs = performance.now() - started;

/** Takes everything and keeps nothing. */
class Sink implements Terminal {
	readonly columns = 100;
	readonly rows = 40;
	readonly kittyProtocolActive = false;
	written = 0;
	type: (data: string) => void = () => {};
	wrote: () => void = () => {};

	start(onInput: (data: string) => void): void {
		this.type = onInput;
	}

	write(data: string): void {
		this.written += data.length;
		this.wrote();
	}

	stop(): void {}
	async drainInput(): Promise<void> {}
	moveBy(): void {}
	hideCursor(): void {}
	showCursor(): void {}
	clearLine(): void {}
	clearFromCursor(): void {}
	clearScreen(): void {}
	setTitle(): void {}
	setProgress(): void {}
}

/** Text that grows at its end, and wraps. */
class Answer implements TranscriptBlock {
	readonly #rows: string[] = [""];

	isFinal(): boolean {
		return false;
	}

	add(text: string): void {
		for (const word of text.split(" ")) {
			const last = this.#rows.at(-1) ?? "";
			if (last.length + word.length >= 100) this.#rows.push(word);
			else this.#rows[this.#rows.length - 1] = last === "" ? word : `${last} ${word}`;
		}
	}

	render(): string[] {
		return this.#rows.slice();
	}

	invalidate(): void {}
}

/** So fast that every wish becomes a frame. */
function hurried(): Clock {
	let now = 0;
	return { now: () => (now += 1000), after: () => ({ [Symbol.dispose]() {} }) };
}

function screen(clock?: Clock) {
	const terminal = new Sink();
	const tui = new TUI(terminal, false, clock);
	const transcript = new Transcript();
	let typed = "";
	const editor: Component = {
		render: () => [`> ${typed}`, "status"],
		handleInput: (data) => {
			typed = data;
		},
		invalidate: () => {},
	};
	tui.addChild(transcript);
	tui.addChild(editor);
	tui.setFocus(editor);
	tui.start();
	const frame = async () => {
		tui.requestRender();
		await Promise.resolve();
	};
	return { terminal, transcript, frame };
}

async function firstFrame(): Promise<number> {
	const { terminal, transcript, frame } = screen(hurried());
	transcript.addChild(new Text("hello", 0, 0));
	await frame();
	if (terminal.written === 0) throw new Error("nothing was drawn");
	return performance.now() - started;
}

async function frameUs(rows: number): Promise<number> {
	const { transcript, frame } = screen(hurried());
	for (let row = 0; row < rows; row += 20) {
		const text = Array.from({ length: 20 }, (_, at) => `row ${row + at} of a block`).join("\n");
		transcript.addChild(new Text(text, 0, 0));
		await frame();
	}
	const answer = new Answer();
	transcript.addChild(answer);
	const costs: number[] = [];
	for (let count = 0; count < 1000; count++) {
		answer.add(`word${count}`);
		const before = performance.now();
		await frame();
		costs.push(performance.now() - before);
	}
	return (costs.toSorted((a, b) => a - b)[500] ?? Number.NaN) * 1000;
}

async function stream(deltas: number): Promise<{ ms: number; kilobytes: number }> {
	const { terminal, transcript, frame } = screen(hurried());
	const answer = new Answer();
	transcript.addChild(answer);
	const before = process.cpuUsage();
	for (let delta = 0; delta < deltas; delta++) {
		answer.add("Some fifty characters of an answer that streams in");
		await frame();
	}
	const { user, system } = process.cpuUsage(before);
	return { ms: (user + system) / 1000, kilobytes: terminal.written / 1024 };
}

/** At the pace of a real clock, in the middle of a stream. */
async function keyMs(): Promise<number> {
	const { terminal, transcript, frame } = screen();
	const answer = new Answer();
	transcript.addChild(answer);
	const streaming = setInterval(() => {
		answer.add("more words");
		void frame();
	}, 1);
	const costs: number[] = [];
	for (let key = 0; key < 300; key++) {
		await Bun.sleep(7);
		const done = Promise.withResolvers<void>();
		const before = performance.now();
		terminal.wrote = done.resolve;
		terminal.type(`key ${key}`);
		await done.promise;
		costs.push(performance.now() - before);
	}
	clearInterval(streaming);
	return costs.toSorted((a, b) => a - b)[Math.floor(costs.length * 0.99)] ?? Number.NaN;
}

const firstMs = await firstFrame();
// The first runs are those in which the code gets warm.
await frameUs(1000);
const [shortUs, longUs] = [await frameUs(100), await frameUs(100_000)];
await stream(1000);
const [half, whole] = [await stream(2000), await stream(4000)];
const measured: Measured = {
	shortUs,
	longUs,
	keyMs: await keyMs(),
	firstMs,
	importMs,
	streamMs: whole.ms,
	streamKB: whole.kilobytes,
	halfStreamMs: half.ms,
};
process.stdout.write(JSON.stringify(measured), () => process.exit(0));
