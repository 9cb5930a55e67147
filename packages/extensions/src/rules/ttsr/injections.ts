/** Remembers which rules were said and when, so that none is said more often than it should be. */
import type { Rule } from "@tau/session/run";

/** How rules speak that do not say it themselves. */
export interface TtsrModes {
	interruptMode: NonNullable<Rule["interruptMode"]>;
	contextMode: NonNullable<Rule["contextMode"]>;
	repeatMode: NonNullable<Rule["repeatMode"]>;
	/** Turns after which a rule may speak again. */
	repeatGap: number;
}

export class Injections {
	readonly #modes: () => TtsrModes;
	/** At which turn each was said last. */
	readonly #injectedAt = new Map<string, number>();
	/** Called for, and not said yet. */
	readonly #pending = new Set<string>();
	#turns = 0;

	constructor(modes: () => TtsrModes) {
		this.#modes = modes;
	}

	/** What the conversation at hand has been told. Of what was said before this session, the turns were not counted. */
	restore(names: readonly string[]): void {
		for (const name of this.#injectedAt.keys()) if (!names.includes(name)) this.#injectedAt.delete(name);
		for (const name of names) if (!this.#injectedAt.has(name)) this.#injectedAt.set(name, this.#turns);
	}

	maySpeak(rule: Rule): boolean {
		if (this.#pending.has(rule.name)) return false;
		const saidAt = this.#injectedAt.get(rule.name);
		if (saidAt === undefined) return true;
		const { repeatMode, repeatGap } = this.#modes();
		if ((rule.repeatMode ?? repeatMode) === "once") return false;
		return this.#turns - saidAt >= (rule.repeatGap ?? repeatGap);
	}

	/** Whether it has been said at all, as a rule about files is once. */
	wasSaid({ name }: Rule): boolean {
		return this.#pending.has(name) || this.#injectedAt.has(name);
	}

	expect({ name }: Rule): void {
		this.#pending.add(name);
	}

	markInjected(names: readonly string[]): void {
		for (const name of names) {
			this.#pending.delete(name);
			this.#injectedAt.set(name, this.#turns);
		}
	}

	/** What was to be said will not be: it may be called for again. */
	forget(names: Iterable<string>): void {
		for (const name of names) this.#pending.delete(name);
	}

	forgetPending(): void {
		this.#pending.clear();
	}

	turnEnded(): void {
		this.#turns++;
	}
}
