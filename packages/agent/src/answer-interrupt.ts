/** Interrupts an answer while it streams and has the model answer again, without ending the run. */
import { limits } from "./limits.ts";
import type { AnswerInterruption } from "./types.ts";

export class AnswerInterrupt {
	#stop: (() => void) | undefined;
	#interruption: AnswerInterruption | undefined;
	#inARow = 0;

	/**
	 * Returns whether the interruption was accepted. It is refused when no answer is streaming, when this answer has
	 * been interrupted already, or after too many interruptions in a row: then the answer stands, because a model
	 * that never complies would be asked without end.
	 */
	interrupt(interruption: AnswerInterruption): boolean {
		if (!this.#stop || this.#interruption || this.#inARow >= limits.interruptionsInARow) return false;
		this.#interruption = interruption;
		this.#stop();
		return true;
	}

	/** Called when the loop requests an answer; `stop` ends its stream. */
	open(stop: () => void): void {
		this.#stop = stop;
		this.#interruption = undefined;
	}

	/** Called at the end of the answer. Returns the interruption that ended it early, if any. */
	close(): AnswerInterruption | undefined {
		const interruption = this.#interruption;
		this.#stop = undefined;
		this.#interruption = undefined;
		this.#inARow = interruption ? this.#inARow + 1 : 0;
		return interruption;
	}
}
