/** A program under a real terminal, and what it costs the machine. */
import { readdirSync, readFileSync } from "node:fs";

import { listDescendants } from "@tau/sys";

/** The flag by which a terminal shows what is typed by itself, on Linux and macOS. */
const echoFlag = 0o10;
const keys = 60;
/** A program that has not got so far by now never will. */
const patienceMs = 60_000;

export interface Start {
	command: readonly string[];
	cwd: string;
	env: Readonly<Record<string, string>>;
}

export class Program implements AsyncDisposable {
	readonly #child: Bun.Subprocess;
	readonly #decoder = new TextDecoder();
	#text = "";
	#waiting: { shown: string; resolve: () => void } | undefined;
	/** The processor time of each thread, also of those that have ended since. */
	readonly #threads = new Map<string, number>();
	bytes = 0;

	constructor({ command, cwd, env }: Start) {
		this.#child = Bun.spawn([...command], {
			cwd,
			env: { ...process.env, ...env, TERM: "xterm-256color" },
			terminal: { cols: 120, rows: 40, data: (_, chunk) => this.#take(chunk) },
		});
		const { terminal } = this.#child;
		// What is seen of a key is what the program shows of it.
		if (terminal) terminal.localFlags &= ~echoFlag;
	}

	get pid(): number {
		return this.#child.pid;
	}

	/** Resolves when it has ended by itself. */
	get exited(): Promise<number> {
		return this.#child.exited;
	}

	type(text: string): void {
		this.#child.terminal?.write(text);
	}

	/** As a user types: keys that arrive at once are treated as a paste by some. */
	async send(text: string): Promise<void> {
		this.type(text);
		await Bun.sleep(200);
		this.type("\r");
	}

	forget(): void {
		this.#text = "";
	}

	async until(shown: string): Promise<void> {
		if (Bun.stripANSI(this.#text).includes(shown)) return;
		const seen = Promise.withResolvers<void>();
		this.#waiting = { shown, resolve: seen.resolve };
		const over = this.#child.exited.then(() => {
			throw new Error(`it ended: ${Bun.stripANSI(this.#text).trim().slice(-200)}`);
		});
		const late = setTimeout(() => seen.reject(new Error(`it does not show "${shown}"`)), patienceMs);
		try {
			await Promise.race([seen.promise, over]);
		} finally {
			clearTimeout(late);
		}
	}

	/** Types until it is seen: a program may throw away what came before it was ready. */
	async untilTyped(text: string): Promise<void> {
		this.type(text);
		const again = setInterval(() => this.type(text), 25);
		try {
			await this.until(text);
		} finally {
			clearInterval(again);
		}
	}

	/** One key after the other, each when the one before was seen; the middle one. */
	async keyMs(): Promise<number> {
		return median(await this.#keyTimes("qxz"));
	}

	/** The slowest of them, in letters that nothing else on the screen has. */
	async slowestKeyMs(): Promise<number> {
		return Math.max(...(await this.#keyTimes("ŵŷĝ")));
	}

	async #keyTimes(letters: string): Promise<number[]> {
		const times: number[] = [];
		for (let at = 0; at < keys; at++) {
			const letter = letters[at % letters.length] ?? "q";
			const started = performance.now();
			this.forget();
			this.type(letter);
			await this.until(letter);
			times.push(performance.now() - started);
			await Bun.sleep(20);
		}
		return times;
	}

	cpuMs(): number {
		for (const [id, ms] of threadTimes(this.#child.pid)) this.#threads.set(id, ms);
		return this.#threads.values().reduce((sum, ms) => sum + ms, 0);
	}

	residentMB(): number {
		const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
		return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
	}

	/** With all processes that it has started; what they share counts once. */
	treeMB(): number {
		const pids = [this.#child.pid, ...listDescendants(this.#child.pid)];
		const shares = pids.map(
			(pid) => /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1],
		);
		return shares.reduce((sum, kilobytes) => sum + Number(kilobytes ?? 0), 0) / 1024;
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

/** The processor time of all threads that live. */
export function cpuMs(pid: number): number {
	return threadTimes(pid).reduce((sum, [, ms]) => sum + ms, 0);
}

/** The processor time of the threads that live, by the scheduler's nanoseconds rather than in ticks of 10 ms. */
function threadTimes(pid: number): [id: string, ms: number][] {
	return readdirSync(`/proc/${pid}/task`).map((id) => {
		const [time] = readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ");
		return [id, Number(time) / 1e6];
	});
}

export function median(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
