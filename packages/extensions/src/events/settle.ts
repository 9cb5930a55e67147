/** Emits the end of a run to extensions, lets them continue it, and emits when the session is idle. */
import type { AgentMessage } from "@tau/agent";
import type { SessionEvent, Settled } from "@tau/session";

import { customMessage } from "../api/actions.ts";
import { limits } from "../support/limits.ts";
import type { ExtensionRunner } from "../host/runner.ts";
import { appendEntries, proposals, type Proposal } from "./boundary.ts";
import type { SessionStopEvent, TurnEndEvent } from "../api/event-types.ts";

type TurnEnd = Extract<SessionEvent, { type: "turn_end" }>;

export class SettleEvents {
	readonly #runner: () => ExtensionRunner;
	/** How often handlers have made this prompt continue. */
	#continued = 0;
	#isSettling = false;
	/** What turns have left for the end of the run. */
	#held: Proposal = { entries: [], wantsMore: false };

	constructor(runner: () => ExtensionRunner) {
		this.#runner = runner;
	}

	/** Called when no message follows the answer: returns the entries that handlers append and whether to continue. */
	async beforeSettle(): Promise<Settled | undefined> {
		const runner = this.#runner();
		const held = this.#takeHeld();
		if (held.entries.length === 0 && !held.wantsMore && !runner.events.has("agent_before_settle"))
			return undefined;
		const messages = appendEntries(runner, held.entries);
		const last = runner.session.state.messages.at(-1);
		const { entries, wantsMore } = await proposals(
			runner,
			"agent_before_settle",
			(state) => extended({ type: "agent_before_settle" as const }, state),
			last?.role === "assistant" && last.stopReason === "error" ? "error" : "completed",
		);
		messages.push(...appendEntries(runner, entries));
		const wantsOn = held.wantsMore || wantsMore;
		if (wantsOn && messages.length === 0)
			await runner.notify("An extension wants the model to continue, but sent no message to answer.");
		const continues = wantsOn && messages.length > 0 && this.#continued < limits.stopContinuations;
		if (continues) this.#continued++;
		return { messages, continues };
	}

	/** Applies the results of `turn_end` handlers: they go to the model if the run continues, or wait for its end. */
	async turnEnd(event: TurnEnd, turnIndex: number): Promise<void> {
		const runner = this.#runner();
		if (!runner.events.has("turn_end")) return;
		const { message, toolResults } = event;
		const isFailed = message.role === "assistant" && message.stopReason === "error";
		const isStopped = runner.session.signal?.aborted ?? false;
		const outcome = isStopped ? "aborted" : isFailed ? "error" : "completed";
		const { entries, wantsMore } = await proposals(
			runner,
			"turn_end",
			(state) => extended({ ...event, turnIndex }, extended(entryIds(runner, toolResults.length), state)),
			outcome,
		);
		const continuesAnyway = toolResults.length > 0 && outcome === "completed";
		for (const entry of entries) {
			if (continuesAnyway && entry.type === "custom_message")
				await runner.bound.handle.deliver(customMessage(entry), "append");
			else this.#held.entries.push(entry);
		}
		this.#held.wantsMore ||= wantsMore && !continuesAnyway && outcome === "completed";
	}

	async onEvent(event: SessionEvent, turn: number): Promise<void> {
		if (event.type !== "agent_end") return;
		const runner = this.#runner();
		const isAborted = runner.session.signal?.aborted ?? false;
		if (!isAborted && hasAnswered(event.messages)) await this.#ask(runner, event.messages, turn);
		if (this.#isSettling) return;
		this.#isSettling = true;
		void this.#settle(runner);
	}

	/** Runs after every automatic continuation has finished. */
	async #settle(runner: ExtensionRunner): Promise<void> {
		const { session } = runner;
		const { signal } = session;
		await session.waitForIdle();
		this.#isSettling = false;
		this.#continued = 0;
		// The session may have been left meanwhile, and its extensions with it.
		if (!runner.runtime.isBound) return;
		if (signal?.aborted) runner.turns.runAborted();
		// The run was aborted; entries that they added to the session stay.
		for (const message of appendEntries(runner, this.#takeHeld().entries))
			await runner.bound.handle.deliver(message, "append");
		await runner.emit({ type: "agent_settled", aborted: signal?.aborted ?? false });
	}

	#takeHeld(): Proposal {
		const held = this.#held;
		this.#held = { entries: [], wantsMore: false };
		return held;
	}

	async #ask(runner: ExtensionRunner, messages: AgentMessage[], turn: number): Promise<void> {
		const { events, bound } = runner;
		if (!events.has("session_stop") || this.#continued >= limits.stopContinuations) return;
		const answers: string[] = [];
		await events.ask(
			"session_stop",
			() => stopEvent(runner, messages, turn, this.#continued > 0),
			({ continue: continues, decision, additionalContext, reason }) => {
				if (continues || decision === "block") answers.push(additionalContext ?? reason ?? "Continue.");
				return undefined;
			},
		);
		if (answers.length === 0) return;
		this.#continued++;
		const content = answers.join("\n");
		await bound.handle.deliver(
			customMessage({ customType: "session_stop", content, display: true }),
			"followUp",
		);
	}
}

/** Adds lazy properties, which are computed only when a handler reads them. */
function extended<A extends object, B extends object>(base: A, more: B): A & B {
	return Object.defineProperties(base, Object.getOwnPropertyDescriptors(more)) as A & B;
}

/** The last messages of the branch are those of the turn: they are on disk before its end is emitted. */
function entryIds(
	{ bound: { log } }: ExtensionRunner,
	results: number,
): Pick<TurnEndEvent, "messageEntryId" | "toolResultEntryIds"> {
	const spoken = (): string[] =>
		log.getBranchHeads().flatMap(({ type, id }) => (type === "message" ? [id] : []));
	return {
		get messageEntryId() {
			return spoken().at(-1 - results);
		},
		get toolResultEntryIds() {
			return results === 0 ? [] : spoken().slice(-results);
		},
	};
}

/** What failed may be tried again, and that is not for extensions to decide. */
function hasAnswered(messages: readonly AgentMessage[]): boolean {
	const last = messages.findLast((message) => message.role === "assistant");
	return last?.stopReason === "stop" || last?.stopReason === "length";
}

function stopEvent(
	{ bound: { log, session } }: ExtensionRunner,
	messages: AgentMessage[],
	turn: number,
	isContinued: boolean,
): SessionStopEvent {
	const last = messages.findLast((message) => message.role === "assistant");
	const file = log.getSessionFile();
	return {
		type: "session_stop",
		messages,
		turn_id: turn,
		...(last ? { last_assistant_message: last } : {}),
		session_id: log.getSessionId(),
		...(file === undefined ? {} : { session_file: file }),
		stop_hook_active: isContinued,
		signal: session.signal ?? new AbortController().signal,
	};
}
