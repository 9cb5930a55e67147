/** Works on one task: a tree, a session in it, and in the end a branch. The lease decides whether any of it counts. */
import { join } from "node:path";

import { abortable, cutUnits, errorText, log, money, oneLine, type Env } from "@tau/utils";

import { Fence, LeaseLost } from "../git/fence.ts";
import { Mirror } from "../git/mirror.ts";
import { WorkTree } from "../git/work-tree.ts";
import { limits } from "../limits.ts";
import type { Ending, TaskStore } from "../store/store.ts";
import { branchOf, budgetLeft, type Progress, type Task, type TaskResult } from "../task.ts";
import answered from "./answered.md" with { type: "text" };
import proceed from "./continue.md" with { type: "text" };
import type { SessionKeys } from "./gateway-keys.ts";
import type { HeldLease } from "./held-lease.ts";
import { SessionFollower } from "./session-follower.ts";
import type { StartSession, TaskSession } from "./session.ts";
import { lastSession, LogTail, writeSession } from "./session-log.ts";
import type { WorkDirectories } from "./work-directories.ts";

export interface RunParts {
	readonly store: TaskStore;
	readonly start: StartSession;
	readonly directories: WorkDirectories;
	/** Where clones are kept. */
	readonly mirrors: string;
	readonly env: Env;
	readonly parkMs: number;
	/** The environment of the session: with a key of the task's own, where there is a gateway. */
	keysFor(task: Task): Promise<SessionKeys>;
	/** Whether sessions are shared as rooms, for users on other machines. */
	readonly hasRooms: boolean;
}

/** A session as the worker before has left it. */
interface Restored {
	/** None where it has to start anew. */
	readonly lines: string[];
	/** How many lines the log of the task has. */
	readonly stored: number;
	readonly note?: string;
}

const cassetteName = "session.cassette";

/** Why a session ends before its task is done. */
type Interrupted = "parked" | "released";

class Interruption extends Error {
	override readonly name = "Interruption";
	readonly kind: Interrupted;

	constructor(kind: Interrupted) {
		super(kind);
		this.kind = kind;
	}
}

export class TaskRun implements Disposable {
	readonly #parts: RunParts;
	readonly #lease: HeldLease;
	readonly #stop = new AbortController();
	readonly #task: Task;
	readonly done: Promise<void>;
	#live: SessionFollower | undefined;

	constructor(parts: RunParts, lease: HeldLease) {
		this.#parts = parts;
		this.#lease = lease;
		this.#task = lease.current.task;
		this.done = this.#run();
	}

	get taskId(): string {
		return this.#task.id;
	}

	/** Something has changed in the store: perhaps a message, or the task was stopped. */
	onChange(): void {
		this.#look().catch((error: unknown) => {
			if (!(error instanceof LeaseLost)) log.debug("the store does not answer", { reason: String(error) });
		});
	}

	/** Another worker continues it. */
	release(): void {
		this.#stop.abort(new Interruption("released"));
	}

	[Symbol.dispose](): void {
		this.#lease[Symbol.dispose]();
	}

	/** Never rejects: what cannot be stored is found again when the lease has run out. */
	async #run(): Promise<void> {
		using _lease = this.#lease;
		const signal = AbortSignal.any([this.#lease.lost, this.#stop.signal]);
		const ending = await this.#work(signal).catch((error: unknown) => this.#endingAfter(error));
		if (!ending) return;
		try {
			await this.#lease.write((lease) => this.#parts.store.finish(lease, ending));
		} catch (error) {
			log.warn("the end of a task was not stored", { task: this.taskId, reason: String(error) });
		}
	}

	async #look(): Promise<void> {
		const { store } = this.#parts;
		const task = await this.#lease.use(() => store.get(this.taskId));
		if (task?.state !== "running" || task.lease !== this.#lease.current.number) return this.#lease.lose();
		if (!this.#live) return;
		for (const message of await this.#lease.use(() => store.receive(this.#lease.current)))
			await this.#live.deliver(message);
	}

	#endingAfter(error: unknown): Ending | undefined {
		if (error instanceof Interruption) return { kind: error.kind };
		if (error instanceof LeaseLost || this.#lease.lost.aborted) {
			log.info("a task was taken away", { task: this.taskId });
			return undefined;
		}
		return this.#failed(errorText(error));
	}

	#failed(problem: string, mayRetry = true): Ending {
		const { failures, spec } = this.#task;
		if (!mayRetry || failures + 1 >= spec.tries) return { kind: "failed", problem };
		const wait = Math.min(limits.retryMs * 2 ** failures, limits.retryMostMs);
		return { kind: "failed", problem, retryAt: Date.now() + wait };
	}

	async #work(signal: AbortSignal): Promise<Ending> {
		const { store, directories, mirrors, env } = this.#parts;
		const { spec, progress } = this.#task;
		if (spec.budget !== undefined && progress.cost >= spec.budget)
			return this.#failed(`Its budget of ${money(spec.budget)} is used up.`, false);
		const { number } = this.#lease.current;
		const bundle = await this.#lease.use(() => store.file(this.taskId, "in"));
		using directory = directories.create(`${this.taskId}-${number}`);
		const { path: scratch } = directory;
		const mirror = await Mirror.open(mirrors, spec.repo, { env, signal, scratch });
		await mirror.bring(spec.commit, { bundle, scratch, signal });
		const branch = branchOf(this.taskId, number);
		const tree = await WorkTree.create({
			mirror,
			directory: directory.path,
			commit: spec.commit,
			branch,
			env,
			signal,
		});
		// While the model answers: only the end needs it.
		const fencing = spec.repo === "" ? undefined : this.#fence(mirror, signal);
		fencing?.catch(() => {});
		try {
			const before = await this.#restored(tree);
			const summary = await this.#converse(tree, directory.path, before, signal);
			if (typeof summary !== "string") return summary;
			const commit = await tree.commit(`${oneLine(spec.prompt, limits.shownChars)}\n\n${summary}\n`);
			const result = { summary: cutUnits(summary, limits.summaryChars) };
			const cassette = await recorded(directory.path);
			if (!fencing) return { ...(await this.#bundled(mirror, branch, commit, result, signal)), cassette };
			const fence = await fencing;
			if (!(fence instanceof Fence)) return { kind: "done", result: { ...result, ...fence }, cassette };
			const pushed = await fence.publish(commit);
			const left = pushed === undefined || commit === undefined ? {} : { branch: pushed, commit };
			return { kind: "done", result: { ...result, ...left }, cassette };
		} finally {
			await mirror.forget(branch).catch(() => {});
			await fencing?.then(releaseFence, () => {});
		}
	}

	async #bundled(
		mirror: Mirror,
		branch: string,
		commit: string | undefined,
		result: TaskResult,
		signal: AbortSignal,
	): Promise<Extract<Ending, { kind: "done" }>> {
		if (commit === undefined) return { kind: "done", result };
		const out = await mirror.bundle(branch, this.#task.spec.commit, signal);
		return { kind: "done", result: { ...result, branch, commit, isBundled: true }, out };
	}

	async #fence(mirror: Mirror, signal: AbortSignal): ReturnType<typeof Fence.take> {
		const { number } = this.#lease.current;
		return await Fence.take({
			mirror,
			taskId: this.taskId,
			lease: number,
			retriedAfter: this.#task.progress.retriedAfter ?? 0,
			isHeld: () => this.#lease.check(),
			signal,
		});
	}

	/** The lines of the session so far, with its changes in the tree; none where it has to start anew. */
	async #restored(tree: WorkTree): Promise<Restored> {
		const { store } = this.#parts;
		const all = await this.#lease.use(() => store.log(this.taskId));
		const lines = lastSession(all);
		const stored = all.length;
		if (lines.length <= 1) return { lines: [], stored };
		const patch = await this.#lease.use(() => store.patch(this.taskId));
		try {
			await tree.apply(patch ?? new Uint8Array());
			return { lines, stored };
		} catch (error) {
			return {
				lines: [],
				stored,
				note: `Started anew: its changes so far could not be applied. ${errorText(error)}`,
			};
		}
	}

	/** The last answer, or how else it ended. */
	async #converse(
		tree: WorkTree,
		directory: string,
		{ lines, stored, note }: Restored,
		signal: AbortSignal,
	): Promise<string | Ending> {
		const { store, start, keysFor, parkMs } = this.#parts;
		const file = join(directory, "session.jsonl");
		const header = { taskId: this.taskId, lease: this.#lease.current.number, cwd: tree.path };
		const length = writeSession(file, header, lines);
		const messages = await this.#lease.use(() => store.receive(this.#lease.current));
		const replies = messages.flatMap((each) => (each.kind === "answer" ? [each] : []));
		const answers = new Map(replies.map(({ key, text }) => [key, text]));
		const first =
			lines.length === 0 ? [this.#task.spec.prompt] : [continued(replies.map(({ text }) => text))];
		const steers = messages.flatMap((each) => (each.kind === "steer" ? [each.text] : []));
		const progress = startProgress(this.#task.progress, lines.length === 0);
		const keys = await keysFor(this.#task);
		try {
			const where = [
				"--session",
				file,
				"--session-dir",
				directory,
				"--record",
				join(directory, cassetteName),
			];
			const argv = [...where, ...flagsOf(this.#task), ...keys.argv];
			await using session = await start(
				{ argv, cwd: tree.path, env: keys.env, apiKey: keys.apiKey, prompts: [...first, ...steers] },
				signal,
			);
			const interrupted = new AbortController();
			using live = new SessionFollower({
				store,
				lease: this.#lease,
				session,
				tree,
				answers,
				parkMs,
				// A session that begins here is sent with its header.
				stored,
				tail: new LogTail(file, lines.length === 0 ? 0 : length),
				progress: { ...progress, ...(note === undefined ? {} : { note }) },
				onPark: () => interrupted.abort(new Interruption("parked")),
				onTrouble: (error) => interrupted.abort(error),
			});
			this.#live = live;
			this.onChange();
			if (this.#parts.hasRooms) void live.share();
			return await this.#untilOver(session, live, AbortSignal.any([signal, interrupted.signal]));
		} finally {
			this.#live = undefined;
			await keys.release();
		}
	}

	async #untilOver(
		session: TaskSession,
		live: SessionFollower,
		signal: AbortSignal,
	): Promise<string | Ending> {
		const { client, exited } = session;
		const gone = exited.then(() => {
			throw new Error("The process of the session has ended.");
		});
		try {
			do {
				await abortable(Promise.race([client.request("wait_for_idle", {}, signal), gone]), signal);
				await this.#look();
			} while (client.view.facts.phase !== "idle" || client.view.facts.queue.followUp.length > 0);
		} catch (error) {
			// What was said until now is kept for the worker that continues.
			if (error instanceof Interruption || signal.reason instanceof Interruption) await live.settle();
			throw signal.aborted ? signal.reason : error;
		}
		await live.settle();
		const last = client.view.tail.entries.findLast(isAnswer);
		const { stopReason, errorMessage } = (last?.message ?? {}) as {
			stopReason?: string;
			errorMessage?: string;
		};
		const { text } = await client.request("get_last_assistant_text", {}, signal);
		if (live.obstacle) return this.#failed(live.obstacle.problem, live.obstacle.mayRetry);
		if (!last && !text) return this.#failed("The model gave no answer.");
		if (stopReason === "error" || stopReason === "aborted")
			return this.#failed(errorMessage ?? "The model was interrupted.", stopReason === "error");
		return text ?? "";
	}
}

/** Releases the fence, unless the push of the branch has removed it or another worker has taken it over. */
async function releaseFence(fence: unknown): Promise<void> {
	if (fence instanceof Fence) await fence.release(AbortSignal.timeout(limits.endMs)).catch(() => {});
}

/** What the session has written at its end; undefined if it could not, or it is too large for the store. */
async function recorded(directory: string): Promise<Uint8Array | undefined> {
	const file = Bun.file(join(directory, cassetteName));
	if (!(await file.exists()) || file.size > limits.cassetteBytes) {
		log.warn("a task has no recording", { directory, bytes: file.size });
		return undefined;
	}
	return await file.bytes();
}

function isAnswer(entry: { readonly [field: string]: unknown }): boolean {
	const { message } = entry;
	return typeof message === "object" && message !== null && "role" in message && message.role === "assistant";
}

function continued(replies: readonly string[]): string {
	return replies.length === 0 ? proceed.trim() : `${answered.trim()}\n\n${replies.join("\n")}`;
}

/** Of the lease before, only what it has cost and where the try began is still true. */
function startProgress({ cost, earlierCost = 0, retriedAfter }: Progress, isAnew: boolean): Progress {
	const fromBefore = retriedAfter === undefined ? {} : { retriedAfter };
	return { cost, earlierCost: isAnew ? cost : earlierCost, questions: [], ...fromBefore };
}

function flagsOf(task: Task): string[] {
	const { agent, model, policy, isTrusted } = task.spec;
	const budget = budgetLeft(task);
	return [
		"--approval-mode",
		policy,
		...(agent === undefined ? [] : [`--append-system-prompt=${agent.prompt}`, ...agent.argv]),
		...(model === undefined ? [] : ["--model", model]),
		...(budget === undefined ? [] : ["--max-cost", String(budget)]),
		isTrusted ? "--trust" : "--no-approve",
	];
}
