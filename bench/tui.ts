/** The interactive mode under a real terminal: how soon it takes keys, how fast a key is seen, what an answer costs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";

import { homeFor, modelName, tau, type Home } from "./home.ts";
import type { Row } from "./report.ts";
import { writeLongSession } from "./session-log.ts";

const rounds = 15;
const resumeRounds = 3;
const keys = 60;
/** Nothing that the program draws by itself has it. */
const probe = "zqzq";

export async function interactive(): Promise<Row[]> {
	return [...(await starting()), ...(await resuming()), ...(await typing()), ...(await answering())];
}

async function starting(): Promise<Row[]> {
	await using played = await playModel({ steps: [], fallback: { answer: "hi" } });
	using home = homeFor(played);
	const times: number[] = [];
	for (let round = -1; round < rounds; round++) {
		const started = performance.now();
		await using program = new Program(home);
		// What is typed before would be shown by the terminal itself.
		await program.until("τ tau");
		program.type(probe);
		await program.until(probe);
		if (round >= 0) times.push(performance.now() - started);
	}
	return [{ name: "launch to a prompt that takes keys", value: median(times), unit: "ms", budget: 100 }];
}

/** What was said last is on the screen, and keys are taken. */
async function resuming(): Promise<Row[]> {
	await using played = await playModel({ steps: [], fallback: { answer: "hi" } });
	using home = homeFor(played);
	const path = join(home.project, "long.jsonl");
	writeLongSession(path, home.project);
	const [times, sizes, keyed]: number[][] = [[], [], []];
	for (let round = -1; round < resumeRounds; round++) {
		const started = performance.now();
		await using program = new Program(home, ["--session", path]);
		await program.until("played-1");
		program.type(probe);
		await program.until(probe);
		if (round >= 0) times?.push(performance.now() - started);
		await program.ready();
		if (round >= 0) sizes?.push(program.residentMB());
		if (round >= 0) keyed?.push(median(await keyTimes(program)));
	}
	return [
		{
			name: "resume 50 MB, 10,000 entries, to its end and a key",
			value: median(times ?? []),
			unit: "ms",
			budget: 250,
		},
		{ name: "the same: memory", value: median(sizes ?? []), unit: "MB", budget: 150 },
		{ name: "the same: key to screen", value: median(keyed ?? []), unit: "ms", budget: 4 },
	];
}

async function typing(): Promise<Row[]> {
	const chunks = 4000;
	const long = { answer: { blocks: [{ text: prose(200_000), chunks }], delayMs: 2 } };
	await using played = await playModel({ steps: [long], fallback: { answer: "hi" } });
	using home = homeFor(played);
	await using program = new Program(home);
	await program.ready();
	const idle = await keyTimes(program);
	const idleCpu = await idleMs(program);
	const rss = program.residentMB();
	program.type("\x15go\r");
	await program.until("answering");
	const streaming = await keyTimes(program);
	return [
		{ name: "key to screen", value: median(idle), unit: "ms", budget: 4 },
		{ name: "key to screen while an answer streams", value: median(streaming), unit: "ms", budget: 10 },
		{ name: "10 s in which nothing happens", value: idleCpu, unit: "ms of CPU over bun", budget: 20 },
		{ name: "memory at rest", value: rss, unit: "MB", budget: 90 },
	];
}

async function answering(): Promise<Row[]> {
	const [once, twice] = [await answer(200_000, 4000), await answer(400_000, 8000)];
	return [
		{ name: "200 KB in 4,000 deltas: CPU", value: once.cpuMs, unit: "ms", budget: 1000 },
		{ name: "the same: bytes to the terminal", value: once.bytes / 1000, unit: "KB", budget: 450 },
		{ name: "twice as much: CPU, as a ratio", value: twice.cpuMs / once.cpuMs, unit: "x", budget: 2.5 },
	];
}

async function answer(chars: number, chunks: number): Promise<{ cpuMs: number; bytes: number }> {
	const text = `${prose(chars)}\n\nThe end is here.`;
	await using played = await playModel({ steps: [{ answer: { blocks: [{ text, chunks }] } }] });
	using home = homeFor(played);
	await using program = new Program(home);
	await program.ready();
	const [cpu, bytes] = [program.cpuMs(), program.bytes];
	program.type("go\r");
	await program.until("The end is here.");
	await Bun.sleep(100);
	return { cpuMs: program.cpuMs() - cpu, bytes: program.bytes - bytes };
}

/** Bun's collector looks around once a second, in a program that does nothing at all too. */
async function idleMs(program: Program): Promise<number> {
	await using bare = Bun.spawn([process.execPath, "-e", "setInterval(() => {}, 1e9)"]);
	await Bun.sleep(3000);
	const before = [program.cpuMs(), cpuMs(bare.pid)] as const;
	await Bun.sleep(10_000);
	return program.cpuMs() - before[0] - (cpuMs(bare.pid) - before[1]);
}

function cpuMs(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	// In hundredths of a second, on every Linux.
	return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** One key after the other, each when the one before was seen. */
async function keyTimes(program: Program): Promise<number[]> {
	const times: number[] = [];
	for (let at = 0; at < keys; at++) {
		const letter = "qxz"[at % 3] ?? "q";
		const started = performance.now();
		program.forget();
		program.type(letter);
		await program.until(letter);
		times.push(performance.now() - started);
		await Bun.sleep(20);
	}
	return times;
}

/** Prose with everything that Markdown has, none of it with a letter that is looked for. */
function prose(chars: number): string {
	const part = [
		"## A heading in the text",
		"Some *words* of **prose** with `code` in them, a [link](http://a.b/c) and more words to fill a line or two of it.",
		"- one item\n- another item with more words\n  - nested",
		"```ts\nfunction add(a: number, b: number) {\n\treturn a + b;\n}\n```",
		"| a | b |\n| --- | --- |\n| one | two |",
	].join("\n\n");
	return `${part}\n\n`
		.repeat(Math.ceil(chars / part.length))
		.slice(0, chars)
		.replaceAll(/[qxz]/g, "s");
}

class Program implements AsyncDisposable {
	readonly #child: Bun.Subprocess;
	readonly #decoder = new TextDecoder();
	#text = "";
	#waiting: { shown: string; resolve: () => void } | undefined;
	bytes = 0;

	constructor({ env, project }: Home, args: readonly string[] = []) {
		this.#child = Bun.spawn([tau, "--model", modelName, ...args], {
			cwd: project,
			env: { ...process.env, ...env, TERM: "xterm-256color", TAU_NO_TITLE: "1" },
			terminal: { cols: 120, rows: 40, data: (_, chunk) => this.#take(chunk) },
		});
	}

	type(text: string): void {
		this.#child.terminal?.write(text);
	}

	forget(): void {
		this.#text = "";
	}

	async until(shown: string): Promise<void> {
		if (Bun.stripANSI(this.#text).includes(shown)) return;
		const seen = Promise.withResolvers<void>();
		this.#waiting = { shown, resolve: seen.resolve };
		const over = this.#child.exited.then(() => {
			throw new Error(`it ended: ${this.#text}`);
		});
		await Promise.race([seen.promise, over]);
	}

	/** With its model, and with nothing more to load. */
	async ready(): Promise<void> {
		await this.until("played-1");
		await Bun.sleep(500);
	}

	cpuMs(): number {
		return cpuMs(this.#child.pid);
	}

	residentMB(): number {
		const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
		return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#child.kill("SIGKILL");
		await this.#child.exited;
		this.#child.terminal?.close();
	}

	#take(chunk: Uint8Array): void {
		this.bytes += chunk.length;
		this.#text += this.#decoder.decode(chunk, { stream: true });
		const { shown, resolve } = this.#waiting ?? {};
		if (shown === undefined || !Bun.stripANSI(this.#text).includes(shown)) {
			// Only the end can hold what is looked for.
			if (this.#text.length > 1_000_000) this.#text = this.#text.slice(-100_000);
			return;
		}
		this.#waiting = undefined;
		resolve?.();
	}
}

function median(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
