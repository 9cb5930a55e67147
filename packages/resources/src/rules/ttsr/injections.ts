/** Records which rules were injected and when, so that none is injected too often. */
import type { Rule } from "@tau/session/run";

/** The default modes for rules that do not set their own. */
export interface TtsrModes {
	interruptMode: NonNullable<Rule["interruptMode"]>;
	contextMode: NonNullable<Rule["contextMode"]>;
	repeatMode: NonNullable<Rule["repeatMode"]>;
	/** The number of turns after which a rule may be injected again. */
	repeatGap: number;
}

export class Injections {
	readonly #modes: () => TtsrModes;
	/** The turn at which each rule was last injected. */
	readonly #injectedAt = new Map<string, number>();
	/** Rules that were triggered but not injected yet. */
	readonly #pending = new Set<string>();
	#turns = 0;

	constructor(modes: () => TtsrModes) {
		this.#modes = modes;
	}

	/** Restores the rules injected in this conversation. Turns before this session were not counted. */
	restore(names: readonly string[]): void {
		for (const name of this.#injectedAt.keys()) if (!names.includes(name)) this.#injectedAt.delete(name);
		for (const name of names) if (!this.#injectedAt.has(name)) this.#injectedAt.set(name, this.#turns);
	}

	mayInject(rule: Rule): boolean {
		if (this.#pending.has(rule.name)) return false;
		const injectedAt = this.#injectedAt.get(rule.name);
		if (injectedAt === undefined) return true;
		const { repeatMode, repeatGap } = this.#modes();
		if ((rule.repeatMode ?? repeatMode) === "once") return false;
		return this.#turns - injectedAt >= (rule.repeatGap ?? repeatGap);
	}

	/** Whether the rule was injected at all; a rule about files is injected once. */
	wasInjected({ name }: Rule): boolean {
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

	/** The pending rules will not be injected: they may be triggered again. */
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
