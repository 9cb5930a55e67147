/** The background commands of a session: their identity, how they end, and who is notified. */
import type { SessionOutcome } from "@tau/sys";
import { log, oneLine, onDispose } from "@tau/utils";

import type { CommandRun } from "./command-run.ts";
import { limits } from "./limits.ts";
import { portsService, type PortWatch } from "./port-watch.ts";
import { howItEnded } from "./report.ts";
import { shellService } from "./shell-service.ts";
import type { ToolEnv, ToolSession } from "../tool/env.ts";
import type { ServiceKey } from "../tool/services.ts";

export type JobOwner = "model" | "user" | "private";
export type JobState = "running" | "done" | "failed" | "killed";

export interface Job {
	readonly id: string;
	readonly label: string;
	readonly run: CommandRun;
	readonly startedAt: number;
	state: JobState;
	/** How it ended, as text. */
	ending?: string;
	endedAt?: number;
	/** Lines that the model has seen. */
	seen: number;
	/** The number of callers that await the end of the job and report it to the model themselves. */
	watchers: number;
	/** The model knows that it has ended, or is sent a message about it. */
	reported: boolean;
	/** Aborted when the model has seen the end itself. */
	readonly known: AbortController;
	/** Who started it: a command of the user does not wake the model when it ends, and a private one is hidden from it. */
	readonly owner: JobOwner;
	/** Resolves when its state has changed for good. */
	readonly settled: Promise<void>;
}

export const jobsService: ServiceKey<Jobs> = {
	name: "jobs",
	create(env) {
		// Services are disposed in reverse order: the jobs have to end before the shell that they run in.
		env.services.get(shellService, env);
		return new Jobs(env.session, env, env.services.get(portsService, env));
	},
};

export class Jobs implements AsyncDisposable {
	readonly #conversation: Pick<ToolSession, "emit" | "deliver">;
	readonly #jobs = new Map<string, Job>();
	/** Awaited commands, each with the function that moves it to the background. */
	/** What moves an awaited command, and when it was started. */
	readonly #foreground = new Map<() => Job, number>();
	#made = 0;
	#isClosing = false;

	readonly #env: Pick<ToolEnv, "sandbox" | "session">;

	/** Servers of jobs that the user reaches. */
	readonly ports: PortWatch;

	constructor(
		conversation: Pick<ToolSession, "emit" | "deliver">,
		env: Pick<ToolEnv, "sandbox" | "session">,
		ports: PortWatch,
	) {
		this.#conversation = conversation;
		this.#env = env;
		this.ports = ports;
		ports.jobOf = (run) => this.list().find((job) => job.run === run)?.id;
	}

	get isFull(): boolean {
		return this.running.length >= limits.runningJobs;
	}

	list(): Job[] {
		return [...this.#jobs.values()];
	}

	/** Those that the model may know of. */
	listForModel(): Job[] {
		return this.list().filter(({ owner }) => owner !== "private");
	}

	get running(): Job[] {
		return this.list().filter(({ state }) => state === "running");
	}

	/** Registers an awaited command: `background` moves it until the result is disposed of. */
	offer(move: () => Job): Disposable {
		this.#foreground.set(move, Date.now());
		return onDispose(() => this.#foreground.delete(move));
	}

	/** How long the oldest awaited command has been running, in ms; undefined if none could be moved. */
	get awaitedMs(): number | undefined {
		const [oldest] = this.#foreground.values();
		return oldest === undefined || this.isFull ? undefined : Date.now() - oldest;
	}

	/** Moves every awaited command to the background, within the limit. */
	background(): Job[] {
		const room = limits.runningJobs - this.running.length;
		return [...this.#foreground.keys()].slice(0, Math.max(room, 0)).map((move) => {
			this.#foreground.delete(move);
			return move();
		});
	}

	find(id: string): Job | undefined {
		return this.#jobs.get(id);
	}

	add(run: CommandRun, owner: JobOwner = "model"): Job {
		const settled = Promise.withResolvers<void>();
		const job: Job = {
			id: String(++this.#made),
			label: oneLine(run.options.command, limits.labelChars),
			run,
			startedAt: Date.now(),
			state: "running",
			seen: 0,
			known: new AbortController(),
			watchers: 0,
			reported: false,
			owner,
			settled: settled.promise,
		};
		this.#jobs.set(job.id, job);
		void this.#emit(job);
		const watched = this.ports.watch(run);
		void run.ended
			.finally(() => watched[Symbol.dispose]())
			.then(
				(outcome) => this.#end(job, outcome),
				(error: unknown) => this.#fail(job, error),
			)
			.then(settled.resolve);
		return job;
	}

	/** The model has asked for the job, and needs no notification. */
	async kill(job: Job): Promise<void> {
		job.reported = true;
		job.run.stop();
		await job.settled;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isClosing = true;
		const { running } = this;
		for (const { run } of running) run.stop();
		await Promise.all(running.map(({ settled }) => settled));
	}

	async #end(job: Job, outcome: SessionOutcome): Promise<void> {
		const state = outcome.stopped === "abort" ? "killed" : outcome.exitCode === 0 ? "done" : "failed";
		const { deniedNote } = await import("./sandbox-report.ts");
		const denied = await deniedNote(job.run, outcome, this.#env, "model");
		this.#settle(job, state, endingOf(outcome, job.run.options.seconds), denied);
	}

	#fail(job: Job, error: unknown): void {
		this.#settle(job, "failed", `could not start: ${error instanceof Error ? error.message : String(error)}`);
	}

	#settle(job: Job, state: JobState, ending: string, denied?: string): void {
		job.state = state;
		job.ending = ending;
		job.endedAt = Date.now();
		void this.#emit(job);
		this.#forgetOld();
		if (this.#isClosing) return;
		if (job.owner === "private") return void this.#notify(job);
		if (job.reported || job.watchers > 0) return;
		job.reported = true;
		const text = [endingText(job), denied].filter(Boolean).join("\n\n");
		this.#conversation.deliver(text, {
			customType: "job",
			wakes: job.owner === "model",
			known: job.known.signal,
		});
	}

	/** Only the user is notified of the end. */
	#notify({ id, label, ending = "ended" }: Job): Promise<void> {
		return this.#send({ type: "notice", level: "info", message: `job ${id} ${ending} (${label})` });
	}

	#emit({ id, label, state }: Job): Promise<void> {
		return this.#send({ type: "job_update", id, label, state });
	}

	async #send(event: Parameters<ToolSession["emit"]>[0]): Promise<void> {
		try {
			await this.#conversation.emit(event);
		} catch (error) {
			log.warn("a job event was not delivered", { event: event.type, reason: String(error) });
		}
	}

	#forgetOld(): void {
		const ended = this.list().filter(({ state }) => state !== "running");
		for (const { id } of ended.slice(0, -limits.endedJobs)) this.#jobs.delete(id);
	}
}

/** The text that follows "job 1". */
function endingOf(outcome: SessionOutcome, seconds: number): string {
	const { exitCode = 0, killedBy, stopped } = outcome;
	if (stopped === "abort") return "was killed";
	if (stopped !== undefined || killedBy !== undefined) return howItEnded(outcome, seconds).replace(/\.$/, "");
	return exitCode === 0 ? "finished: exit code 0" : `failed: exit code ${exitCode}`;
}

/** The notification that the model receives when it did not ask. */
function endingText({ id, label, ending, run }: Job): string {
	const lines = (run.hasTerminal ? run.summary().text : run.output.live()).split("\n");
	const shown = lines.slice(-limits.endLines);
	const cut =
		lines.length > shown.length ? `[the last ${shown.length} lines; job output ${id} has more]\n` : "";
	return `job ${id} ${ending ?? "ended"} (${label})\n${cut}${shown.join("\n")}`.trimEnd();
}
