/** Follows the running session of a task: sends its log and its state to the store, and brings it what the user sends. */
import { errorText, isRecord, log, oneLine, timer } from "@tau/utils";
import type { EventFrame } from "@tau/wire";

import type { WorkTree } from "../git/work-tree.ts";
import { limits } from "../limits.ts";
import type { TaskStore } from "../store/store.ts";
import type { Progress, TaskMessage } from "../task.ts";
import type { HeldLease } from "./held-lease.ts";
import { toAnswer, toQuestion } from "./questions.ts";
import type { TaskSession } from "./session.ts";
import type { LogTail } from "./session-log.ts";

export interface FollowerParts {
	readonly store: TaskStore;
	readonly lease: HeldLease;
	readonly session: TaskSession;
	readonly tree: WorkTree;
	readonly tail: LogTail;
	/** How many lines the log of the task has in the store. */
	readonly stored: number;
	/** Answers that came while no session was there, by the key of their question. */
	readonly answers: Map<string, string>;
	readonly progress: Progress;
	/** Called when a question was open for this long. */
	readonly parkMs: number;
	onPark(): void;
	/** Called when the log or the tree cannot be stored: what follows could not be continued elsewhere. */
	onTrouble(error: unknown): void;
}

export interface Obstacle {
	readonly problem: string;
	/** Whether another worker may do better. */
	readonly mayRetry: boolean;
}

export class SessionFollower implements Disposable {
	readonly #parts: FollowerParts;
	readonly #owned = new DisposableStack();
	#progress: Progress;
	#stored: number;
	#obstacle: Obstacle | undefined;
	/** One at a time; what comes meanwhile is sent by the next. */
	#shipping: Promise<void> = Promise.resolve();
	#isShipWanted = false;
	#reporting: Disposable | undefined;
	#park: Disposable | undefined;

	constructor(parts: FollowerParts) {
		this.#parts = parts;
		this.#stored = parts.stored;
		const { client } = parts.session;
		this.#progress = { ...parts.progress, sessionId: client.view.facts.session.id };
		this.#owned.use(client.subscribe((event) => this.#onEvent(event)));
		this.#owned.use(client.onReset(() => this.#onState()));
		this.#onState();
		this.#wantShip();
		this.#report();
	}

	get progress(): Progress {
		return this.#progress;
	}

	/** Why the last run ended early, or did not begin, although the model did not fail. */
	get obstacle(): Obstacle | undefined {
		return this.#obstacle;
	}

	[Symbol.dispose](): void {
		this.#reporting?.[Symbol.dispose]();
		this.#park?.[Symbol.dispose]();
		this.#owned.dispose();
	}

	/** Everything that the session has written until now is in the store afterwards. */
	async settle(): Promise<void> {
		await this.#queue(true);
		await this.#parts.lease.write((lease) => this.#parts.store.report(lease, this.#progress));
	}

	/** Opens a room, whose link is what `tau task attach` needs elsewhere. */
	async share(): Promise<void> {
		const { client } = this.#parts.session;
		try {
			const { data } = await client.request("run_command", { name: "collab", args: "link approve fleet" });
			const links: unknown = isRecord(data) ? data.links : undefined;
			const first: unknown = Array.isArray(links) ? links[0] : undefined;
			if (isRecord(first) && typeof first.link === "string") this.#set({ room: first.link });
		} catch (error) {
			this.#set({ note: `It cannot be joined: ${errorText(error)}` });
		}
	}

	/** From the user. A message that the session refuses is noted for `tau task show`. */
	async deliver(message: TaskMessage): Promise<void> {
		const { client } = this.#parts.session;
		try {
			if (message.kind === "steer") {
				const type = client.view.facts.phase === "idle" ? "prompt" : "steer";
				await client.request(type, { message: message.text });
				return;
			}
			const request = client.view.live.requests.find(
				(each) => each.id === message.question || toQuestion(each).key === message.key,
			);
			if (!request) this.#parts.answers.set(message.key, message.text);
			else
				await client.request("answer_request", {
					requestId: request.id,
					answer: toAnswer(request, message.text),
				});
		} catch (error) {
			this.#set({ note: errorText(error) });
		}
	}

	#onEvent(event: EventFrame): void {
		this.#onUsage();
		if (event.type === "agent_start") this.#obstacle = undefined;
		else if (event.type === "budget_exhausted") this.#obstacle = { problem: event.message, mayRetry: false };
		else if (event.type === "prompt_refused") this.#obstacle = { problem: event.reason, mayRetry: true };
		if (event.type === "request_opened" || event.type === "request_closed") this.#onRequests();
		else if (event.type === "tool_execution_start")
			this.#set({
				last: oneLine(`${event.toolName} ${Object.values(event.args).join(" ")}`, limits.shownChars),
			});
		else if (event.type === "message_end" || event.type === "turn_end" || event.type === "agent_end")
			this.#wantShip();
	}

	/** What was told before the session was joined, or while it could not be reached. */
	#onState(): void {
		this.#onUsage();
		const { notices } = this.#parts.session.client.view.live;
		const over = notices.findLast(({ limit }) => limit !== undefined);
		if (over) this.#obstacle = { problem: over.message, mayRetry: false };
		this.#onRequests();
	}

	#onUsage(): void {
		const { usage } = this.#parts.session.client.view.facts;
		const cost = (this.#progress.earlierCost ?? 0) + (usage?.cost ?? 0);
		if (usage && cost !== this.#progress.cost) this.#set({ cost });
	}

	#onRequests(): void {
		const { client } = this.#parts.session;
		const { requests } = client.view.live;
		for (const request of requests) {
			const { key } = toQuestion(request);
			const words = this.#parts.answers.get(key);
			if (words === undefined) continue;
			this.#parts.answers.delete(key);
			void this.deliver({ kind: "answer", question: request.id, key, text: words });
		}
		this.#set({ questions: requests.map(toQuestion) });
		if (requests.length === 0) {
			this.#park?.[Symbol.dispose]();
			this.#park = undefined;
		} else this.#park ??= timer(this.#parts.parkMs, () => this.#parts.onPark());
	}

	#set(changed: Partial<Progress>): void {
		this.#progress = { ...this.#progress, ...changed };
		this.#reporting ??= timer("questions" in changed ? 0 : limits.reportMs, () => this.#report());
	}

	#report(): void {
		this.#reporting?.[Symbol.dispose]();
		this.#reporting = undefined;
		const { lease, store } = this.#parts;
		lease
			.write((held) => store.report(held, this.#progress))
			.catch((error: unknown) => log.debug("the state of a task was not stored", { reason: String(error) }));
	}

	#wantShip(): void {
		if (this.#isShipWanted) return;
		this.#isShipWanted = true;
		this.#queue(false).catch((error: unknown) => this.#parts.onTrouble(error));
	}

	#queue(isLast: boolean): Promise<void> {
		this.#shipping = this.#shipping.catch(() => {}).then(() => this.#ship(isLast));
		return this.#shipping;
	}

	/** The tree is looked at after the lines, and stored together with them: it has at least what they say. */
	async #ship(isLast: boolean): Promise<void> {
		this.#isShipWanted = false;
		const { lease, store, tail, tree, session } = this.#parts;
		const { file } = session.client.view.facts.session;
		if (file === undefined) return;
		const { lines, done } = tail.read(file);
		const patch = isLast || lines.some(mayChangeFiles) ? await tree.patch() : undefined;
		if (lines.length === 0 && !patch) return;
		const after = this.#stored;
		await lease.write((held) => store.append(held, { after, lines, patch: patch?.bytes }));
		this.#stored += lines.length;
		done();
		patch?.done();
	}
}

/** What tools and commands have done is in the tree before it is in the log. */
function mayChangeFiles(line: string): boolean {
	return /"role":"(?:toolResult|bashExecution|pythonExecution)"/.test(line);
}
