/** Decides which step of a script serves a request, and counts the uses of each. */

import type { Script, ScriptStep, When } from "./scenario.ts";

export interface Cue {
	path: string;
	rawBody: string;
	protocol: string;
}

export class Playback {
	readonly script: Script;
	readonly #left: Map<ScriptStep, number>;
	#requests = 0;

	constructor(script: Script) {
		this.script = script;
		this.#left = new Map(script.steps.map((step) => [step, step.times]));
	}

	/** A step that matches this request comes before the next in line. */
	next(cue: Cue): ScriptStep | undefined {
		this.#requests++;
		const usable = [...this.#left].filter(([, times]) => times > 0).map(([step]) => step);
		const step =
			usable.find((each) => each.when !== undefined && this.#fits(each.when, cue)) ??
			usable.find((each) => each.when === undefined);
		if (step === undefined) return this.script.fallback;
		this.#left.set(step, (this.#left.get(step) ?? 0) - 1);
		return step;
	}

	#fits(when: When, cue: Cue): boolean {
		if (when.request !== undefined && when.request !== this.#requests) return false;
		if (when.path !== undefined && when.path !== cue.path) return false;
		if (when.protocol !== undefined && when.protocol !== cue.protocol) return false;
		return when.bodyContains === undefined || cue.rawBody.includes(when.bodyContains);
	}
}
