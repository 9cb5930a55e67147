/** One session of a client: prompts and cancels go in, updates and questions go out. */
import * as acp from "@agentclientprotocol/sdk/unstable";
import { promptOf, SendQueue, Turns } from "@tau/server/adapters";
import { log, timer } from "@tau/utils";
import { branchEntries, type CommandInfo, type EventFrame, type SessionClient } from "@tau/wire";

import { configOptions } from "./config.ts";
import { limits } from "./limits.ts";
import type { AcpPeer } from "./peer.ts";
import { SessionQuestions } from "./session-questions.ts";
import { partOf, responseTo } from "./prompt.ts";
import { ClientTerminals, DrawnTerminals } from "./terminals.ts";
import { isChunk, joined, notice, planOf, replayed, Updates } from "./updates.ts";

/** A session that was opened for a client. */
export interface OpenedSession extends AsyncDisposable {
	readonly client: SessionClient;
	/** Those that the session may work in beside its own. */
	readonly directories: readonly string[];
	/**
	 * Asks what could not be asked before the client knew the session: whether code of the project may run. Returns the
	 * session with it, which takes the place of this one.
	 */
	confirm(): Promise<OpenedSession | undefined>;
}

export interface AcpSessionOptions {
	id: string;
	opened: OpenedSession;
	peer: AcpPeer;
	capabilities: acp.ClientCapabilities;
}

export class AcpSession implements AsyncDisposable {
	readonly id: string;
	readonly #queue: SendQueue<acp.SessionUpdate>;
	readonly #updates: Updates;
	readonly #questions: SessionQuestions;
	readonly #turns = new Turns(() => this.client);
	#opened: OpenedSession;
	#owned = new DisposableStack();
	#isConfirmed = false;
	#plan = "";

	constructor({ id, opened, peer, capabilities }: AcpSessionOptions) {
		this.id = id;
		this.#opened = opened;
		const { update: method } = acp.methods.client.session;
		this.#queue = new SendQueue((update) => peer.notify(method, { sessionId: id, update }), joined);
		this.#updates = new Updates({
			cwd: () => this.client.view.facts.session.cwd,
			terminals:
				capabilities._meta?.terminal_output === true
					? new DrawnTerminals()
					: capabilities.terminal
						? new ClientTerminals(peer, id, (toolCallId, shown) => {
								if (this.#updates.calls.isOpen(toolCallId))
									void this.#push({ sessionUpdate: "tool_call_update", toolCallId, ...shown });
							})
						: undefined,
			isOwnMessage: (text) => this.#turns.isOwn(text),
		});
		this.#questions = new SessionQuestions({
			client: () => this.client,
			peer,
			capabilities,
			sessionId: id,
			updates: this.#updates,
			send: (update) => void this.#push(update),
			flush: () => void this.#queue.flush(),
		});
		this.#owned.use(this.client.subscribe((event) => this.#onEvent(event)));
	}

	get client(): SessionClient {
		return this.#opened.client;
	}

	get isBusy(): boolean {
		return this.#turns.isBusy;
	}

	/** What a client needs to know of a session that it has just got; sent after the response that names it. */
	introduce(): void {
		this.#owned.use(timer(limits.introduceMs, () => unheard(this.#introduction())));
	}

	async #introduction(isMoved = false): Promise<void> {
		const { name } = this.client.view.facts.session;
		if (isMoved || name !== undefined)
			void this.#push({ sessionUpdate: "session_info_update", title: name ?? null });
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
		await this.#turns.untilStopped();
		await this.#confirm();
		const { session, model } = this.client.view.facts;
		const prompt = await promptOf(blocks.map(partOf), [session.cwd, ...this.#opened.directories], model);
		onAccepted();
		const { outcome, isCancelled } = await this.#turns.send(prompt, signal, async ({ text, prefill }) => {
			for (const shown of [text, prefill]) if (shown) await this.#push(notice(shown));
		});
		await this.#queue.flush();
		return responseTo(outcome, isCancelled);
	}

	/** Answers the prompts that run, also if what they started takes its time to end. */
	cancel(): void {
		this.#questions.decline();
		this.#turns.cancel();
	}

	/** The slash commands of the session. */
	async sendCommands(): Promise<void> {
		const { commands } = await this.client.request("list_commands", {});
		const availableCommands = commands.map(shownCommand);
		await this.#push({ sessionUpdate: "available_commands_update", availableCommands });
	}

	/** Ends everything that the session runs. */
	async [Symbol.asyncDispose](): Promise<void> {
		if (this.isBusy) this.cancel();
		this.#turns[Symbol.dispose]();
		this.#owned.dispose();
		this.#questions[Symbol.dispose]();
		for (const update of this.#updates.shown(this.#updates.calls.endAll())) void this.#push(update);
		await this.#queue.flush();
		await this.#opened[Symbol.asyncDispose]();
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
		this.#owned.use(this.client.subscribe((event) => this.#onEvent(event)));
		unheard(this.sendCommands());
	}

	#onEvent(event: EventFrame): void | Promise<void> {
		this.#turns.onEvent(event);
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
				await this.#pushConfig();
				return await this.#introduction(true);
			case "notice":
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
		const window = { used: context.tokens, size: context.contextWindow };
		void this.#push({ sessionUpdate: "usage_update", ...window, ...cost });
	}

	async #pushConfig(): Promise<void> {
		const options = await configOptions(this.client);
		await this.#push({ sessionUpdate: "config_option_update", configOptions: options });
	}

	/** Resolves when it was written; at once for a piece that others may be added to. */
	async #push(update: acp.SessionUpdate): Promise<void> {
		if (isChunk(update)) this.#queue.add(update);
		else await this.#queue.push(update);
	}
}

function shownCommand({ name, description, argumentHint }: CommandInfo): acp.AvailableCommand {
	return { name, description, ...(argumentHint === undefined ? {} : { input: { hint: argumentHint } }) };
}

/** What nobody waits for: a session that closes meanwhile has nothing more to say. */
function unheard(work: Promise<unknown>): void {
	work.catch((error: unknown) => log.info("an update was not made", { reason: String(error) }));
}
