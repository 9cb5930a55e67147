/** Bounds the turns that only extensions ask for: a handler that answers each end of a run would never let it end. */
import type { SessionEvent } from "@tau/session";

/** A message after such a pause passes on something from outside, as a chat or a timer does. */
const pauseMs = 2000;

/** Messages that are only stored, without a turn between them: a handler that answers each message with another one never ends. */
const storedMost = 1_000;

export class ExtensionTurns {
	readonly #limit: () => number;
	readonly #now: () => number;
	/** Requests that extensions have asked for since the user's last message and the last tool call. */
	#count = 0;
	/** The user has stopped such a run. */
	#isStopped = false;
	/** Messages of extensions that were stored since the user's last message and the last turn. */
	#stored = 0;
	/** The user knows that there were too many. */
	isReported = false;
	#lastTurnAt = Number.NEGATIVE_INFINITY;

	/** A limit of 0 is none. */
	constructor(limit: () => number, now: () => number = () => performance.now()) {
		this.#limit = limit;
		this.#now = now;
	}

	userActed(): void {
		this.#count = 0;
		this.#stored = 0;
		this.#isStopped = false;
		this.isReported = false;
	}

	onEvent(event: SessionEvent): void {
		if (event.type !== "turn_end") return;
		this.#lastTurnAt = this.#now();
		this.#stored = 0;
		if (event.toolResults.length > 0) this.#count = 0;
	}

	/** The user has stopped the run: if an extension prolonged it, it does not begin another one. */
	runAborted(): void {
		this.#isStopped = this.#count > 0;
	}

	/** Called for each message of an extension that is only stored; beyond the bound it is dropped. */
	mayStore(): boolean {
		return ++this.#stored <= storedMost;
	}

	/** Called for each message of an extension that asks for an answer. Otherwise the message is only stored. */
	admit(isIdle: boolean): "yes" | "stopped" | "too many" {
		if (isIdle && this.#now() - this.#lastTurnAt >= pauseMs) this.userActed();
		if (this.#isStopped) return "stopped";
		const limit = this.#limit();
		if (limit > 0 && this.#count >= limit) return "too many";
		this.#count++;
		return "yes";
	}
}
