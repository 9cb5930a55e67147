/** The prompts of one client to a session: each begins a run or steers it, and is over with it, or at once when it is cancelled. */
import { listen, log, timer, UsageError } from "@tau/utils";
import {
	RunOutcome,
	runTyped,
	type CommandFields,
	type CommandReply,
	type EventFrame,
	type SessionClient,
} from "@tau/wire";

/** How long a cancelled prompt may wait for its run to end before it is answered. */
const cancelMs = 40;
/** How long a prompt waits for a cancelled run that does not end. */
const stopMs = 10_000;

export type TurnPrompt = Pick<CommandFields<"prompt">, "message" | "images" | "userText">;

interface Turn {
	isCancelled: boolean;
	/** Resolves when a cancelled prompt is to be answered, whether its run has ended or not. */
	readonly over: PromiseWithResolvers<void>;
}

export class Turns implements Disposable {
	readonly #client: () => SessionClient;
	readonly #running = new Set<Turn>();
	/** Texts of this client that have not become messages yet. */
	readonly #sent: string[] = [];
	#outcome = new RunOutcome();
	/** Resolves when the run that was cancelled last has ended. */
	#stopped: Promise<unknown> = Promise.resolve();

	constructor(client: () => SessionClient) {
		this.#client = client;
	}

	get isBusy(): boolean {
		return this.#running.size > 0 || this.#client().view.facts.phase !== "idle";
	}

	onEvent(event: EventFrame): void {
		this.#outcome.add(event);
	}

	/** Resolves when the run is over that the prompt began, or steered. A slash command is run, and its reply passed on. */
	async send(
		prompt: TurnPrompt,
		signal: AbortSignal,
		onReply: (reply: CommandReply) => Promise<void>,
	): Promise<{ outcome: RunOutcome; isCancelled: boolean }> {
		if (this.#running.size === 0) {
			this.#outcome = new RunOutcome();
			this.#sent.length = 0;
		}
		const turn: Turn = { isCancelled: false, over: Promise.withResolvers() };
		this.#running.add(turn);
		using _ = listen(signal, "abort", () => this.cancel());
		try {
			const ended = this.#submit(prompt, onReply).then(() => this.#client().request("wait_for_idle", {}));
			ended.catch(() => {});
			await Promise.race([ended, turn.over.promise]);
			return { outcome: this.#outcome, isCancelled: turn.isCancelled };
		} finally {
			this.#running.delete(turn);
		}
	}

	/** Ends the prompts that run, also if what they started takes its time to end. */
	cancel(): void {
		const turns = [...this.#running];
		for (const turn of turns) turn.isCancelled = true;
		const client = this.#client();
		const stopping = Promise.all([
			client.request("clear_queue", {}),
			client.request("abort_command", {}),
			client.request("abort", { scope: "run" }),
		]);
		stopping.catch((error: unknown) => log.warn("a run was not stopped", { reason: String(error) }));
		this.#stopped = stopping.catch(() => {});
		const end = (): void => {
			for (const { over } of turns) over.resolve();
		};
		void this.#stopped.then(end);
		timer(cancelMs, end);
	}

	/** Resolves when the run that was cancelled last has ended. */
	async untilStopped(): Promise<void> {
		const late = Promise.withResolvers<never>();
		using _ = timer(stopMs, () => late.reject(new UsageError("The last run has not stopped yet.")));
		await Promise.race([this.#stopped, late.promise]);
	}

	/** Whether a message of the user came from this client, which shows it already. Asked once for each message. */
	isOwn(text: string): boolean {
		const at = this.#sent.indexOf(text);
		if (at < 0) return false;
		this.#sent.splice(0, at + 1);
		return true;
	}

	/** Answers everything. */
	[Symbol.dispose](): void {
		for (const { over } of this.#running) over.resolve();
	}

	async #submit(prompt: TurnPrompt, onReply: (reply: CommandReply) => Promise<void>): Promise<void> {
		const reply = prompt.images ? undefined : await runTyped(this.#client(), prompt.message);
		if (reply) return await onReply(reply);
		this.#sent.push(prompt.message);
		// During a run it steers.
		await this.#client().request("prompt", { ...prompt, streamingBehavior: "steer" });
	}
}
