/** One session of a client: prompts and cancels go in, updates and questions go out. */
import * as acp from "@agentclientprotocol/sdk/unstable";
import { listen, log, timer } from "@tau/utils";
import {
	branchEntries,
	RunOutcome,
	runTyped,
	type CommandInfo,
	type EventFrame,
	type SessionClient,
} from "@tau/wire";

import type { AcpPeer } from "./agent.ts";
import { configOptions } from "./config.ts";
import { limits } from "./limits.ts";
import { SessionQuestions } from "./session-questions.ts";
import { promptOf, responseTo, type AcpPrompt } from "./prompt.ts";
import { ClientTerminals, DrawnTerminals } from "./terminals.ts";
import { notice, planOf, replayed, Updates } from "./updates.ts";
import { UpdateQueue } from "./update-queue.ts";

/** A session that was opened for a client. */
export interface OpenedSession extends AsyncDisposable {
	readonly client: SessionClient;
	/** The working directory, and others that the session may work in. */
	readonly roots: readonly [string, ...string[]];
	/**
	 * Asks what could not be asked before the client knew the session: whether code of the project may run. Returns the
	 * session with it, which takes the place of this one.
	 */
	confirm(): Promise<OpenedSession | undefined>;
}

interface Turn {
	isCancelled: boolean;
	/** Resolves when a cancelled prompt is to be answered, whether its run has ended or not. */
	readonly over: PromiseWithResolvers<void>;
}

export interface AcpSessionOptions {
	id: string;
	opened: OpenedSession;
	peer: AcpPeer;
	capabilities: acp.ClientCapabilities;
}

export class AcpSession implements AsyncDisposable {
	readonly id: string;
	readonly #queue: UpdateQueue;
	readonly #updates: Updates;
	readonly #questions: SessionQuestions;
	readonly #turns = new Set<Turn>();
	/** Texts of this client that have not become messages yet. */
	readonly #sent: string[] = [];
	#opened: OpenedSession;
	#owned = new DisposableStack();
	#outcome = new RunOutcome();
	#isConfirmed = false;
	#plan = "";
	/** Resolves when the run that was cancelled last has ended. */
	#stopped: Promise<unknown> = Promise.resolve();

	constructor({ id, opened, peer, capabilities }: AcpSessionOptions) {
		this.id = id;
		this.#opened = opened;
		this.#queue = new UpdateQueue((update) =>
			peer.notify(acp.methods.client.session.update, { sessionId: id, update }),
		);
		this.#updates = new Updates({
			cwd: () => this.client.view.facts.session.cwd,
			terminals:
				capabilities._meta?.terminal_output === true
					? new DrawnTerminals()
					: capabilities.terminal
						? new ClientTerminals(peer, id, (toolCallId, shown) => {
								if (this.#updates.isOpen(toolCallId))
									void this.#push({ sessionUpdate: "tool_call_update", toolCallId, ...shown });
							})
						: undefined,
			isOwnMessage: (text) => this.#isSent(text),
		});
		const shared = { peer, capabilities, sessionId: id, queue: this.#queue, updates: this.#updates };
		this.#questions = new SessionQuestions({ ...shared, client: () => this.client });
		this.#follow();
	}

	get client(): SessionClient {
		return this.#opened.client;
	}

	get isBusy(): boolean {
		return this.#turns.size > 0 || this.client.view.facts.phase !== "idle";
	}

	/** What a client needs to know of a session that it has just got; sent after the response that names it. */
	introduce(): void {
		this.#owned.use(timer(limits.introduceMs, () => unheard(this.#introduction())));
	}

	async #introduction(): Promise<void> {
		const { name } = this.client.view.facts.session;
		if (name !== undefined) void this.#push({ sessionUpdate: "session_info_update", title: name });
		this.#pushPlan();
		await this.sendCommands();
	}

	/** Sends the whole history. Resolves when it was written. */
	async replay(): Promise<void> {
		const entries = await branchEntries(this.client, limits.replayedEntries);
		const { cwd } = this.client.view.facts.session;
		for (const update of replayed(entries, cwd)) await this.#push(update);
		await this.#queue.flush();
	}

	/** Answers when the run is over that the prompt began, or steered. Throws what is wrong with it, or with the answer. */
	async prompt(
		blocks: readonly acp.ContentBlock[],
		signal: AbortSignal,
		onAccepted: () => void = () => {},
	): Promise<acp.PromptResponse> {
		await this.#untilStopped();
		await this.#confirm();
		const prompt = await promptOf(blocks, this.#opened.roots);
		onAccepted();
		if (this.#turns.size === 0) {
			this.#outcome = new RunOutcome();
			this.#sent.length = 0;
		}
		const turn: Turn = { isCancelled: false, over: Promise.withResolvers() };
		this.#turns.add(turn);
		using _ = listen(signal, "abort", () => this.cancel());
		try {
			const ended = this.#submit(prompt).then(() => this.client.request("wait_for_idle", {}));
			ended.catch(() => {});
			await Promise.race([ended, turn.over.promise]);
			await this.#queue.flush();
			return responseTo(this.#outcome, turn.isCancelled);
		} finally {
			this.#turns.delete(turn);
		}
	}

	/** Answers the prompts that run, also if what they started takes its time to end. */
	cancel(): void {
		const turns = [...this.#turns];
		for (const turn of turns) turn.isCancelled = true;
		this.#questions.decline();
		const stopping = Promise.all([
			this.client.request("clear_queue", {}),
			this.client.request("abort_command", {}),
			this.client.request("abort", { scope: "run" }),
		]);
		stopping.catch((error: unknown) => log.warn("a run was not stopped", { reason: String(error) }));
		this.#stopped = stopping.catch(() => {});
		const end = (): void => {
			for (const { over } of turns) over.resolve();
		};
		void this.#stopped.then(end);
		timer(limits.cancelMs, end);
	}

	/** The slash commands of the session. */
	async sendCommands(): Promise<void> {
		const { commands } = await this.client.request("list_commands", {});
		await this.#push({
			sessionUpdate: "available_commands_update",
			availableCommands: commands.map(shownCommand),
		});
	}

	/** Ends everything that the session runs. */
	async [Symbol.asyncDispose](): Promise<void> {
		if (this.isBusy) this.cancel();
		for (const { over } of this.#turns) over.resolve();
		this.#owned.dispose();
		this.#questions[Symbol.dispose]();
		for (const update of this.#updates.endCalls()) void this.#push(update);
		await this.#queue.flush();
		await this.#opened[Symbol.asyncDispose]();
	}

	#follow(): void {
		this.#owned.use(this.client.subscribe((event) => this.#onEvent(event)));
	}

	async #untilStopped(): Promise<void> {
		const late = Promise.withResolvers<never>();
		using _ = timer(limits.stopMs, () =>
			late.reject(acp.RequestError.invalidRequest(undefined, "the last run has not stopped yet")),
		);
		await Promise.race([this.#stopped, late.promise]);
	}

	/** Once, with the first prompt: by then the client knows the session, and its user is there. */
	async #confirm(): Promise<void> {
		if (this.#isConfirmed) return;
		this.#isConfirmed = true;
		const again = await this.#opened.confirm();
		if (!again) return;
		this.#owned.dispose();
		this.#owned = new DisposableStack();
		this.#opened = again;
		this.#follow();
		unheard(this.sendCommands());
	}

	async #submit(prompt: AcpPrompt): Promise<void> {
		const reply = prompt.images ? undefined : await runTyped(this.client, prompt.message);
		if (reply) {
			const { text, prefill } = reply;
			for (const shown of [text, prefill]) if (shown) await this.#push(notice(shown));
			return;
		}
		this.#sent.push(prompt.message);
		// During a run it steers.
		await this.client.request("prompt", { ...prompt, streamingBehavior: "steer" });
	}

	#onEvent(event: EventFrame): void | Promise<void> {
		this.#outcome.add(event);
		for (const update of this.#updates.of(event)) void this.#push(update);
		if (event.type === "request_opened" || event.type === "request_closed") this.#questions.onEvent(event);
		else unheard(this.#onChange(event));
		return this.#queue.pressure();
	}

	/** What is not part of the conversation. */
	async #onChange(event: EventFrame): Promise<void> {
		switch (event.type) {
			case "tool_execution_end":
			case "todos_changed":
				return this.#pushPlan();
			case "turn_end":
				return this.#pushUsage();
			case "session_info_changed":
				return void this.#push({
					sessionUpdate: "session_info_update",
					title: event.name ?? null,
					updatedAt: new Date().toISOString(),
				});
			case "approval_mode_changed":
				void this.#push({ sessionUpdate: "current_mode_update", currentModeId: event.mode });
				return await this.#pushConfig();
			case "model_changed":
			case "thinking_level_changed":
				return await this.#pushConfig();
			case "mcp_servers_change":
				return await this.sendCommands();
			case "session_moved":
				if (event.sessionId !== this.id && event.reason !== "reload")
					void this.#push(notice(`The conversation continues as session ${event.sessionId}.`));
				return await this.sendCommands();
			case "notice":
				return void this.#push(notice(event.message));
			case "budget_exhausted":
				return void this.#push(notice(event.message));
			case "auto_retry_start":
				return void this.#push(
					notice(`${event.errorMessage} Trying again (${event.attempt} of ${event.maxAttempts}).`),
				);
			default:
		}
	}

	#pushPlan(): void {
		const { todos } = this.client.view.facts;
		const plan = JSON.stringify(todos);
		if (plan === this.#plan || (this.#plan === "" && todos.length === 0)) return;
		this.#plan = plan;
		void this.#push(planOf(todos));
	}

	#pushUsage(): void {
		const { context, usage } = this.client.view.facts;
		const cost = usage ? { cost: { amount: usage.cost, currency: "USD" } } : {};
		void this.#push({
			sessionUpdate: "usage_update",
			used: context.tokens,
			size: context.contextWindow,
			...cost,
		});
	}

	async #pushConfig(): Promise<void> {
		const options = await configOptions(this.client);
		await this.#push({ sessionUpdate: "config_option_update", configOptions: options });
	}

	#push(update: acp.SessionUpdate): Promise<void> {
		return this.#queue.push(update);
	}

	#isSent(text: string): boolean {
		const at = this.#sent.indexOf(text);
		if (at < 0) return false;
		this.#sent.splice(0, at + 1);
		return true;
	}
}

function shownCommand({ name, description, argumentHint }: CommandInfo): acp.AvailableCommand {
	return { name, description, ...(argumentHint === undefined ? {} : { input: { hint: argumentHint } }) };
}

/** What nobody waits for: a session that closes meanwhile has nothing more to say. */
function unheard(work: Promise<unknown>): void {
	work.catch((error: unknown) => log.info("an update was not made", { reason: String(error) }));
}
