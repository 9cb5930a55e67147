/** Tells extensions when the model has stopped, lets them have it go on, and tells them when nothing goes on any more. */
import type { AgentMessage } from "@tau/agent";

import type { SessionEvent, Settled } from "../../../session/index.ts";
import { customMessage } from "../actions.ts";
import { limits } from "../limits.ts";
import type { ExtensionRunner } from "../runner.ts";
import { proposeAtBoundary } from "./boundary.ts";
import type { SessionStopEvent } from "./types.ts";

export class SettleTalk {
	readonly #runner: () => ExtensionRunner;
	/** How often handlers have made this prompt go on. */
	#continued = 0;
	#isSettling = false;

	constructor(runner: () => ExtensionRunner) {
		this.#runner = runner;
	}

	/** Nothing follows the answer any more: what handlers put behind it, and whether it goes on. */
	async beforeSettle(): Promise<Settled | undefined> {
		const runner = this.#runner();
		if (!runner.events.has("agent_before_settle")) return undefined;
		const { messages, wantsMore } = await proposeAtBoundary(runner);
		const goesOn = wantsMore && this.#continued < limits.stopContinuations;
		if (goesOn) this.#continued++;
		return { messages, goesOn };
	}

	async hear(event: SessionEvent, turn: number): Promise<void> {
		if (event.type !== "agent_end") return;
		const runner = this.#runner();
		const isAborted = runner.session.signal?.aborted ?? false;
		if (!isAborted && hasAnswered(event.messages)) await this.#ask(runner, event.messages, turn);
		if (this.#isSettling) return;
		this.#isSettling = true;
		void this.#settle(runner);
	}

	/** Behind everything that goes on by itself. */
	async #settle(runner: ExtensionRunner): Promise<void> {
		const { session } = runner;
		const { signal } = session;
		await session.waitForIdle();
		this.#isSettling = false;
		this.#continued = 0;
		// The session may have been left meanwhile, and its extensions with it.
		if (runner.runtime.isBound)
			await runner.emit({ type: "agent_settled", aborted: signal?.aborted ?? false });
	}

	async #ask(runner: ExtensionRunner, messages: AgentMessage[], turn: number): Promise<void> {
		const { events, side } = runner;
		if (!events.has("session_stop") || this.#continued >= limits.stopContinuations) return;
		const said: string[] = [];
		await events.ask(
			"session_stop",
			() => stopEvent(runner, messages, turn, this.#continued > 0),
			({ continue: goesOn, decision, additionalContext, reason }) => {
				if (goesOn || decision === "block") said.push(additionalContext ?? reason ?? "Go on.");
				return undefined;
			},
		);
		if (said.length === 0) return;
		this.#continued++;
		const content = said.join("\n");
		await side.handle.deliver(
			customMessage({ customType: "session_stop", content, display: true }),
			"followUp",
		);
	}
}

/** What failed may be tried again, and that is not for extensions to decide. */
function hasAnswered(messages: readonly AgentMessage[]): boolean {
	const last = messages.findLast((message) => message.role === "assistant");
	return last?.stopReason === "stop" || last?.stopReason === "length";
}

function stopEvent(
	{ side: { log, session } }: ExtensionRunner,
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
