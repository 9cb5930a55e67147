/** Sessions without a terminal, and clients in lines of text, as processes of the real program. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { untilAnswer } from "../support/asked.ts";
import { launch, type Launched, type Running } from "../support/launch.ts";

export const model = ["--model", "played/played-1"];

/** A row of `tau ps --json`. */
export interface Row {
	sessionId: string;
	title: string | null;
	phase: string | null;
	waiting: number | null;
	clients: number | null;
	answers: boolean;
	detached: boolean;
	/** Null for one that was closed. */
	pid: number | null;
	cwd: string;
}

/** A home whose detached sessions end with the test. */
export async function launchLocal(scenario: Scenario): Promise<Launched> {
	const tau = await launch(scenario);
	return {
		...tau,
		async [Symbol.asyncDispose]() {
			await tau.run(["daemon", "stop"]);
			await tau[Symbol.asyncDispose]();
		},
	};
}

/** `tau attach` behind pipes. */
export interface LineClient extends AsyncDisposable {
	readonly running: Running;
	send(line: string): void;
	/** Waits until its output has the text, from the beginning or after what `mark` has seen. */
	until(text: string): Promise<void>;
	/** What follows is new. */
	mark(): void;
	/** Ends its input; gives the exit code. */
	leave(): Promise<number>;
}

export function attach(tau: Launched, ...args: string[]): LineClient {
	const running = tau.start(["attach", ...args], { stdin: "pipe" });
	const { stdin } = running.process;
	if (!stdin || typeof stdin === "number") throw new Error("standard input is not a pipe");
	let seen = 0;
	return {
		running,
		send(line) {
			stdin.write(`${line}\n`);
			void stdin.flush();
		},
		until: (text) => running.until(({ out, err }) => `${out.slice(seen)}${err}`.includes(text)),
		mark() {
			seen = running.output().out.length;
		},
		async leave() {
			void stdin.end();
			return (await running.finished).code;
		},
		async [Symbol.asyncDispose]() {
			running.process.kill("SIGKILL");
			await running.finished;
		},
	};
}

/** Those that run. */
export async function ps(tau: Launched): Promise<(Row & { pid: number })[]> {
	return (await psAll(tau)).filter((row): row is Row & { pid: number } => row.pid !== null);
}

export async function psAll(tau: Launched): Promise<Row[]> {
	const { out } = await tau.run(["ps", "--json"]);
	return out
		.split("\n")
		.filter(Boolean)
		.map((line): Row => JSON.parse(line));
}

/** Waits, with a bound, until the only session fulfils a condition. */
export async function untilRow(tau: Launched, holds: (row: Row) => boolean): Promise<Row & { pid: number }> {
	const rows = await untilAnswer(
		() => ps(tau),
		(each) => each.some(holds),
	);
	return rows.find(holds) as Row & { pid: number };
}

/** Starts one with a prompt; gives its id. */
export async function detach(tau: Launched, prompt: string, ...args: string[]): Promise<string> {
	const { code, out, err } = await tau.run([...model, ...args, "--detach", prompt]);
	const [, id] = /tau attach (\S+)/.exec(out) ?? [];
	if (code !== 0 || id === undefined) throw new Error(`--detach failed: ${out}${err}`);
	return id;
}

export function runtimeFiles(tau: Launched): string[] {
	return readdirSync(join(tau.home, ".tau/state/run")).toSorted();
}
