/** The way to cut an answer short while it streams, and to have the model asked again, without ending the run. */
import { limits } from "./limits.ts";
import type { AnswerInterruption } from "./types.ts";

export class AnswerGate {
	#stop: (() => void) | undefined;
	#asked: AnswerInterruption | undefined;
	#inARow = 0;

	/**
	 * Says whether it was taken. It is not when no answer is being heard, when somebody else has cut this one short, or
	 * when too many in a row were: then the answer stands, because a model that cannot please would be asked for ever.
	 */
	interrupt(interruption: AnswerInterruption): boolean {
		if (!this.#stop || this.#asked || this.#inARow >= limits.interruptionsInARow) return false;
		this.#asked = interruption;
		this.#stop();
		return true;
	}

	/** The loop asks for an answer; `stop` ends its stream. */
	open(stop: () => void): void {
		this.#stop = stop;
		this.#asked = undefined;
	}

	/** The answer was heard to its end. Gives what cut it short. */
	close(): AnswerInterruption | undefined {
		const asked = this.#asked;
		this.#stop = undefined;
		this.#asked = undefined;
		this.#inARow = asked ? this.#inARow + 1 : 0;
		return asked;
	}
}
