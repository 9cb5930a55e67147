/** The session that somebody talks to, with what matters only while it answers. */
import type { AgentMessage } from "@tau/agent";

import type { AgentSession, Prompt, SessionEvent, SessionManager } from "../index.ts";
import { Refusal } from "./refusal.ts";

/** A session that can be exchanged for another one. */
export interface LiveSession {
	/** The session of the moment. */
	readonly session: AgentSession;
	/** Its log: in memory only, where nothing is to be kept. */
	readonly log: SessionManager;
	/** Leaves the session and goes on, with the same model, with what the log holds now. */
	reopen(): void;
	/** Whoever has to know that a session is left for another one. */
	readonly extensions?: SessionLifecycle | undefined;
}

/** Why a session is left. */
export interface SessionChange {
	reason: "new" | "resume" | "fork" | "reload";
	targetSessionFile?: string;
}

/** What extensions hear of, and may say to, the exchange of a session. */
export interface SessionLifecycle {
	/** Whether the session may be left. */
	mayLeave(
		about:
			| { to: "new" }
			| { to: "resume"; targetSessionFile: string }
			| { to: "fork"; entryId: string; position: "before" | "at" },
	): Promise<boolean>;
	/** It is left now. */
	leave(change: SessionChange): Promise<void>;
	/** The next one is there, and everybody listens. */
	arrive(reason: SessionChange["reason"], previousSessionFile?: string): Promise<void>;
}

export class Conversation implements Disposable {
	readonly #host: LiveSession;
	readonly #tell: (event: SessionEvent) => void | Promise<void>;
	#listening: Disposable;
	/** Accepted, and begun as soon as the client has been told so. */
	#next: Prompt | undefined;
	#running: Promise<void> | undefined;
	/** The run has said its last word and is only being put away. */
	#isOver = false;
	/** Resolved as soon as a run that has said its last word turns out to go on. */
	#goesOn = Promise.withResolvers<void>();
	#isWaitingToRetry = false;
	/** The run was ended only to make room, and goes on. */
	#isMakingRoom = false;
	/** Something was queued when the run had already decided to end: it is said in a run of its own. */
	#isOvertaken = false;
	/** Told when the session is another one. */
	onReplaced: (() => void) | undefined;
	/** Came while the model was answering: what is said in between would tear calls from their results. */
	readonly #unrecorded: AgentMessage[] = [];

	constructor(host: LiveSession, tell: (event: SessionEvent) => void | Promise<void>) {
		this.#host = host;
		this.#tell = tell;
		this.#listening = this.#listen();
	}

	get isBusy(): boolean {
		return this.#isAnswering && !this.#isOver;
	}

	/** Resolves when it is clear whether a run that has told of its end is over: it may be tried again, or make room. */
	async settled(): Promise<void> {
		if (this.#isOver) await Promise.race([this.#running, this.#goesOn.promise]);
	}

	/** Takes a prompt for `begin`. */
	async accept(prompt: Prompt): Promise<void> {
		// A client that has heard of the end may speak again, also when we are not quite done with it.
		if (this.#isOver) await Promise.all([this.#running, this.#host.session.waitForIdle()]);
		this.#next = prompt;
	}

	/** Begins what was accepted. The run goes on by itself; what becomes of it is in the events. */
	begin(): void {
		const prompt = this.#next;
		this.#next = undefined;
		if (!prompt) return;
		const { session } = this.#host;
		// A command is no run: it may end this session, or wait for an answer of the person.
		if (session.isCommand(prompt)) {
			void session.prompt(prompt);
			return;
		}
		this.#isOver = false;
		this.#running = this.#run(prompt);
	}

	/** Resolves when nothing runs any more. */
	async stop(): Promise<void> {
		this.#host.session.abort();
		await Promise.all([this.#running, this.#host.session.waitForIdle()]);
	}

	/** Ends the wait for another try, and with it the prompt; a try that is under way goes on. */
	abortRetry(): void {
		if (this.#isWaitingToRetry) this.#host.session.abort();
	}

	/** Adds to the conversation what the model will read with the next prompt. No event tells of it. */
	record(message: AgentMessage): void {
		if (this.#isAnswering) this.#unrecorded.push(message);
		else this.#record(message);
	}

	/**
	 * Goes on with another session, which `change` has brought into the log. What it throws changes nothing. Without a
	 * reason it is the same session, from another point of it on.
	 */
	async replace(change: () => void | Promise<void>, why?: SessionChange): Promise<void> {
		await this.stop();
		const { extensions, log } = this.#host;
		const previous = log.getSessionFile();
		// They keep in the old session what belongs there.
		if (why) await extensions?.leave(why);
		let problem: { error: unknown } | undefined;
		try {
			await change();
		} catch (error) {
			problem = { error };
			// Nobody was told that it would be left: then everything stays as it is.
			if (!why || !extensions) throw error;
		}
		this.#listening[Symbol.dispose]();
		this.#host.reopen();
		this.#listening = this.#listen();
		this.onReplaced?.();
		if (why) await extensions?.arrive(problem ? "reload" : why.reason, previous);
		if (problem) throw problem.error;
	}

	/** Says something that is not an event of the session. */
	async notice(message: string): Promise<void> {
		await this.#tell({ type: "notice", level: "warning", message });
	}

	[Symbol.dispose](): void {
		this.#listening[Symbol.dispose]();
	}

	/** An extension may have begun a run too. */
	get #isAnswering(): boolean {
		return this.#running !== undefined || this.#host.session.isAnswering;
	}

	async #run(prompt: Prompt): Promise<void> {
		try {
			await this.#host.session.prompt(prompt);
			for (let next = this.#overtaken(); next; next = this.#overtaken()) await this.#host.session.run([next]);
		} catch (error) {
			// Beside what it refuses it does not reject; who broke that must not take the client's connection along.
			const reason = error instanceof Error ? error.message : String(error);
			await this.notice(error instanceof Refusal ? reason : `The prompt failed: ${reason}`);
		}
		this.#running = undefined;
		this.#isOver = false;
		for (const message of this.#unrecorded.splice(0)) this.#record(message);
	}

	#overtaken(): AgentMessage | undefined {
		if (!this.#isOvertaken) return undefined;
		this.#isOvertaken = false;
		return this.#host.session.takeFirst();
	}

	#record(message: AgentMessage): void {
		this.#host.log.appendMessage(message);
		this.#host.session.append(message);
	}

	#listen(): Disposable {
		return this.#host.session.subscribe((event) => {
			this.#follow(event);
			return this.#tell(event);
		});
	}

	#follow(event: SessionEvent): void {
		switch (event.type) {
			case "agent_start":
				this.#isWaitingToRetry = false;
				this.#continue();
				return;
			case "auto_retry_start":
				// The run whose end was told before goes on after all.
				this.#isWaitingToRetry = true;
				this.#continue();
				return;
			case "auto_retry_end":
				this.#isWaitingToRetry = false;
				this.#isOver ||= !event.success;
				return;
			case "compaction_start":
				this.#isMakingRoom = event.willRetry;
				if (event.willRetry) this.#continue();
				return;
			case "compaction_end":
				if (this.#isMakingRoom && !event.willRetry) this.#isOver = true;
				this.#isMakingRoom = false;
				return;
			case "agent_end": {
				const { steering, followUps, messages } = this.#host.session.state;
				this.#isOvertaken = steering.length + followUps.length > 0 && endsWell(messages.at(-1));
				this.#isOver = !this.#isOvertaken;
				return;
			}
		}
	}

	#continue(): void {
		this.#isOver = false;
		this.#goesOn.resolve();
		this.#goesOn = Promise.withResolvers();
	}
}

/** After a failure, an abort or a spent budget, what waits stays where it is. */
function endsWell(last: AgentMessage | undefined): boolean {
	return last?.role === "assistant" && (last.stopReason === "stop" || last.stopReason === "length");
}
