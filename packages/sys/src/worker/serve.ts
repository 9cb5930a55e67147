/** The side of a worker process: takes a request from its standard input, runs its task, writes the answer, and again. */
import { writeFileSync } from "node:fs";

import { encodeFrame, FrameReader } from "./frames.ts";
import { limits } from "./limits.ts";

/** What a worker can do, by name. Arguments and results are values that can be cloned. */
export type Tasks = Readonly<Record<string, (...args: never[]) => unknown>>;

export interface WorkerRequest {
	/** Repeated by the answer, which can then belong to no other request. */
	id: number;
	task: string;
	args: unknown[];
	/** How long the parent waits while the machine is not busy. */
	ms: number;
}

export type WorkerAnswer = { id: number } & ({ ok: true; value: unknown } | { ok: false; message: string });

/** Returns when the parent closes the pipe, which also happens when the parent dies. */
export async function serveTasks(tasks: Tasks): Promise<void> {
	silence();
	const alarm = await processAlarm();
	const frames = new FrameReader(limits.requestBytes);
	const answers = Bun.stdout.writer();
	for await (const chunk of Bun.stdin.stream()) {
		const frame = frames.add(chunk);
		if (!frame) continue;
		const request = frame.value as WorkerRequest;
		// Only the kernel can end a process that parses without a pause and whose parent is gone.
		alarm?.(Math.ceil((request.ms * limits.busyFactor) / 1000) + limits.orphanSeconds);
		const answer = await answerTo(tasks, request);
		alarm?.(0);
		for (const part of encodeFrame(answer)) void answers.write(part);
		await answers.flush();
	}
}

async function answerTo(tasks: Tasks, { id, task, args }: WorkerRequest): Promise<WorkerAnswer> {
	try {
		const run = tasks[task];
		if (!run) throw new Error(`there is no task ${task}`);
		return { id, ok: true, value: await run(...(args as never[])) };
	} catch (error) {
		return { id, ok: false, message: error instanceof Error ? error.message : String(error) };
	}
}

/** Standard output belongs to the answers: a library that prints would break them. */
function silence(): void {
	const nothing = (): void => undefined;
	const names = ["log", "info", "debug", "warn", "error", "table", "dir"] as const;
	Object.assign(globalThis.console, Object.fromEntries(names.map((name) => [name, nothing])));
	process.stdout.write = () => true;
	try {
		// When memory runs out, Linux ends this process before any other.
		writeFileSync("/proc/self/oom_score_adj", "1000");
	} catch {
		// Other systems have no such file.
	}
}

/** The system's timer that ends this process, and on Linux also its signal for the death of the parent. */
async function processAlarm(): Promise<((seconds: number) => void) | undefined> {
	const isLinux = process.platform === "linux";
	try {
		const { dlopen, FFIType } = await import("bun:ffi");
		const alarm = { args: [FFIType.u32], returns: FFIType.u32 } as const;
		const prctl = { args: [FFIType.i32, FFIType.u64], returns: FFIType.i32 } as const;
		if (!isLinux) {
			const { symbols } = dlopen("libSystem.dylib", { alarm });
			return (seconds) => void symbols.alarm(seconds);
		}
		const { symbols } = dlopen("libc.so.6", { alarm, prctl });
		const [parentDeathSignal, kill] = [1, 9n];
		symbols.prctl(parentDeathSignal, kill);
		return (seconds) => void symbols.alarm(seconds);
	} catch {
		// Without the library (musl, Windows) the parent alone ends what takes too long.
		return undefined;
	}
}
