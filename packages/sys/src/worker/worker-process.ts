/** One worker process: runs one request at a time, and is killed when a limit is reached or its caller gives up. */

import { errorCode, isRecord } from "@tau/utils";

import { ownedEnvironment } from "../shell/index.ts";
import { encodeFrame, FrameBroken, FrameReader, FrameTooLarge } from "./frames.ts";
import { limits } from "./limits.ts";
import type { WorkerAnswer, WorkerRequest } from "./serve.ts";
import { readActivity, residentBytes } from "../process/table.ts";
import { measureMemory, measureTime } from "./measures.ts";

export interface TaskLimits {
	/** On a busy machine it may take longer, until the process has had as much time of a processor (`limits.busyFactor`). */
	ms: number;
	/** Of the whole process; an idle one has 40 to 60 MB. */
	memoryBytes: number;
	answerBytes: number;
}

/** Why a worker was stopped before it answered; the message is a clause: "it took longer than 20 s". */
export class WorkerStopped extends Error {
	readonly limit: "time" | "memory" | "answer" | "crash" | "start";

	constructor(limit: WorkerStopped["limit"], message: string) {
		super(message);
		this.limit = limit;
	}
}

export class WorkerProcess implements Disposable {
	readonly #child: Bun.Subprocess<"pipe", "pipe", "ignore">;
	#stopped: unknown;
	#requests = 0;

	/** Throws `WorkerStopped` when no process can be started. */
	constructor(command: string[], env: Record<string, string>) {
		// A `bunfig.toml` or an `.env` in the working directory could change what runs, and keys in
		// the environment are of no use to a parser.
		const owned = ownedEnvironment(env).env;
		const options = { cwd: "/", env: owned, stdin: "pipe", stdout: "pipe", stderr: "ignore" } as const;
		try {
			this.#child = Bun.spawn(command, options);
		} catch (error) {
			throw notStarted(error);
		}
		this.#child.unref();
	}

	/** False after a limit, an abort or a crash, and for a process that has become too large to keep. */
	get isReusable(): boolean {
		const isRunning = this.#child.exitCode === null && this.#child.signalCode === null;
		if (!isRunning || this.#stopped !== undefined) return false;
		return (residentBytes(this.#child.pid) ?? 0) <= limits.keptBytes;
	}

	[Symbol.dispose](): void {
		this.#child.kill("SIGKILL");
	}

	/** Rejects with `WorkerStopped`, or with the reason of the signal. */
	async run(
		work: Omit<WorkerRequest, "id">,
		bounds: TaskLimits,
		signal?: AbortSignal,
	): Promise<WorkerAnswer> {
		const request = { ...work, id: ++this.#requests };
		const stop = (reason: unknown): void => {
			this.#stopped ??= reason;
			this[Symbol.dispose]();
		};
		this.#child.ref();
		using watches = new DisposableStack();
		watches.use(
			measureTime(
				() => readActivity(this.#child.pid),
				request.ms,
				() => stop(tooLong(request.ms)),
			),
		);
		watches.use(measureMemory(this.#child.pid, bounds.memoryBytes, () => stop(tooMuch(bounds.memoryBytes))));
		const onAbort = (): void => stop(signal?.reason);
		signal?.addEventListener("abort", onAbort, { once: true });
		watches.defer(() => signal?.removeEventListener("abort", onAbort));
		try {
			this.#send(request);
			return await this.#receive(request.id, bounds.answerBytes);
		} catch (error) {
			if (error instanceof FrameTooLarge) stop(tooLarge(bounds.answerBytes));
			else stop(error instanceof FrameBroken ? unreadable() : error);
			throw this.#stopped;
		} finally {
			this.#child.unref();
		}
	}

	#send(request: WorkerRequest): void {
		const { stdin } = this.#child;
		const parts = encodeFrame(request);
		// A process that has ended, or ends meanwhile, is noticed by the reader of its answer.
		const ignore = (): void => undefined;
		try {
			for (const part of parts) Promise.resolve(stdin.write(part)).catch(ignore);
			Promise.resolve(stdin.flush()).catch(ignore);
		} catch (error) {
			if (errorCode(error) !== "EPIPE") throw error;
		}
	}

	async #receive(id: number, maxBytes: number): Promise<WorkerAnswer> {
		const frames = new FrameReader(maxBytes);
		const reader = this.#child.stdout.getReader();
		try {
			for (;;) {
				const { value, done } = await reader.read();
				if (done) throw await this.#crash();
				const frame = frames.add(value);
				if (!frame) continue;
				if (!isAnswer(frame.value, id)) throw new FrameBroken();
				return frame.value;
			}
		} finally {
			// A reader that is kept would keep the whole program running.
			reader.releaseLock();
		}
	}

	async #crash(): Promise<unknown> {
		await this.#child.exited;
		const { signalCode, exitCode } = this.#child;
		const how = signalCode === "SIGKILL" ? "the system ended it, probably for lack of memory" : "it crashed";
		return this.#stopped ?? new WorkerStopped("crash", `${how} (${signalCode ?? `exit code ${exitCode}`})`);
	}
}

/** Answers come from a process that has read hostile bytes. */
function isAnswer(value: unknown, id: number): value is WorkerAnswer {
	return isRecord(value) && value.id === id && (value.ok === true || typeof value.message === "string");
}

function unreadable(): WorkerStopped {
	return new WorkerStopped("crash", "its result could not be read");
}

function notStarted(error: unknown): WorkerStopped {
	const reason = errorCode(error) ?? (error instanceof Error ? error.message : String(error));
	return new WorkerStopped("start", `no process could be started for it (${reason})`);
}

function tooLong(ms: number): WorkerStopped {
	return new WorkerStopped("time", `it took longer than ${Math.round(ms / 100) / 10} s`);
}

function tooMuch(bytes: number): WorkerStopped {
	return new WorkerStopped("memory", `it needed more than ${megabytes(bytes)} of memory`);
}

function tooLarge(bytes: number): WorkerStopped {
	return new WorkerStopped("answer", `its result has more than ${megabytes(bytes)}`);
}

function megabytes(bytes: number): string {
	return `${Math.round(bytes / 1024 / 1024)} MB`;
}
