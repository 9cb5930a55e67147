/** A long day in one process: the real program over RPC, a played model, and every kind of work in turn. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { configure, plain } from "../mcp/configured.ts";
import { launch, root, tauProgram, type Launched } from "../support/launch.ts";
import { takeSample, type Sample } from "./sample.ts";
import { workOf } from "./turns.ts";

/** Who works through the turns. */
export interface Driver extends AsyncDisposable {
	/** Of the process that is measured. */
	readonly pid: number;
	request(command: { type: string; message?: string }): Promise<{ phase?: string } | undefined>;
	/** Resolves when the run that starts next has ended, with its retries. */
	nextEnd(): Promise<void>;
}

export interface SoakOptions {
	turns: number;
	/** Turns between two samples. */
	every: number;
	onSample?(sample: Sample): void;
	/** By default a program that is driven over RPC, alone. */
	open?(tau: Launched, temporary: string): Promise<Driver>;
}

/** Turns between two compactions, two new sessions, two answers that are aborted, and two that fail. */
const rhythm = { compact: 60, session: 400, abort: 97, fault: 41 };
/** The longest wait for one turn. */
const turnMs = 120_000;

export async function soak({ turns, every, onSample, open }: SoakOptions): Promise<Sample[]> {
	await using tau = await launch({ steps: [] });
	prepare(tau);
	const temporary = join(tau.home, "tmp");
	mkdirSync(temporary);
	await using program = open ? await open(tau, temporary) : new Program(tau, temporary);
	const samples: Sample[] = [];
	for (let turn = 1; turn <= turns; turn++) {
		await oneTurn(tau, program, turn);
		if (turn % every !== 0) continue;
		const sample = await takeSample(program.pid, turn, temporary);
		samples.push(sample);
		onSample?.(sample);
	}
	return samples;
}

/** A project with code, a language server and a server of tools. */
function prepare(tau: Launched): void {
	mkdirSync(join(tau.project, "src"));
	writeFileSync(join(tau.project, "src/main.ts"), 'export const word: string = "first";\n');
	writeFileSync(
		join(tau.project, "tsconfig.json"),
		'{"compilerOptions":{"strict":true},"include":["src"]}\n',
	);
	symlinkSync(join(root, "node_modules"), join(tau.project, "node_modules"));
	writeFileSync(join(tau.agentDir, "config.yml"), "retry:\n  baseDelayMs: 1\ntranscript: full\n");
	configure(tau, { plain: plain() });
}

async function oneTurn(tau: Launched, program: Driver, turn: number): Promise<void> {
	if (turn % rhythm.session === 0) await program.request({ type: "new_session" });
	if (turn % rhythm.compact === 0) {
		tau.played.setScenario({ steps: [], fallback: "A summary of the work so far." });
		await program.request({ type: "compact" }).catch((error: Error) => {
			if (!error.message.startsWith("Nothing to compact")) throw error;
		});
	}
	if (turn % rhythm.abort === 0) {
		tau.played.setScenario({ steps: [{ fault: { silent: true } }], fallback: "Late." });
		const asked = tau.played.requests.length;
		const ended = program.nextEnd();
		await program.request({ type: "prompt", message: `turn ${turn}` });
		await tau.played.waitForRequest(asked + 1);
		await program.request({ type: "abort" });
		return await ended;
	}
	const { scenario } = workOf(turn);
	const faults = turn % rhythm.fault === 0 ? [{ fault: { http: 529 as const } }] : [];
	tau.played.setScenario({ ...scenario, steps: [...faults, ...scenario.steps] });
	const ended = program.nextEnd();
	await program.request({ type: "prompt", message: `turn ${turn}` });
	await ended;
}

interface Line {
	type: string;
	data?: { phase?: string };
	id?: string;
	success?: boolean;
	error?: string;
}

/** `tau --mode rpc`, and the lines between it and us. */
class Program implements Driver {
	readonly #child;
	readonly #answers = new Map<string, PromiseWithResolvers<Line["data"]>>();
	#end: PromiseWithResolvers<void> | undefined;
	#requests = 0;

	constructor(tau: Launched, temporary: string) {
		this.#child = Bun.spawn([tauProgram, "--mode", "rpc", "--model", "played/played-1", "--auto-approve"], {
			cwd: tau.project,
			env: {
				...tau.env,
				TAU_COLLECT_MB: "",
				TMPDIR: temporary,
				PATH: `${join(root, "node_modules/.bin")}:${tau.env.PATH}`,
			},
			stdin: "pipe",
			stdout: "pipe",
			stderr: "inherit",
		});
		void this.#read(this.#child.stdout);
	}

	get pid(): number {
		return this.#child.pid;
	}

	async request(command: object): Promise<Line["data"]> {
		const id = `soak-${++this.#requests}`;
		const answer = Promise.withResolvers<Line["data"]>();
		this.#answers.set(id, answer);
		this.#child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
		await this.#child.stdin.flush();
		return await within(answer.promise, JSON.stringify(command));
	}

	/** Resolves when the run that starts next has ended, with its retries. */
	async nextEnd(): Promise<void> {
		this.#end = Promise.withResolvers();
		await within(this.#end.promise, "the end of a turn");
		while ((await this.request({ type: "get_state" }))?.phase !== "idle");
	}

	async #read(output: ReadableStream<Uint8Array>): Promise<void> {
		const decoder = new TextDecoder();
		let rest = "";
		for await (const chunk of output) {
			const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
			rest = lines.pop() ?? "";
			for (const line of lines) this.#line(line);
		}
		const gone = new Error("Tau has ended");
		for (const { reject } of this.#answers.values()) reject(gone);
		this.#end?.reject(gone);
	}

	#line(line: string): void {
		// Most lines are updates that nobody here reads.
		if (line.startsWith('{"type":"message_update"')) return;
		const event = JSON.parse(line) as Line;
		if (event.type === "agent_end") this.#end?.resolve();
		if (event.type !== "response" || event.id === undefined) return;
		const answer = this.#answers.get(event.id);
		this.#answers.delete(event.id);
		if (event.success) answer?.resolve(event.data);
		else answer?.reject(new Error(event.error));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#child.stdin.end();
		await this.#child.exited;
	}
}

export async function within<T>(work: Promise<T>, what: string): Promise<T> {
	const late = Promise.withResolvers<never>();
	const timer = setTimeout(() => late.reject(new Error(`${what} took more than ${turnMs} ms`)), turnMs);
	try {
		return await Promise.race([work, late.promise]);
	} finally {
		clearTimeout(timer);
	}
}
