/** The gates that behaviors put before the tool calls of a session, in the order of their attachment. */
import type { ToolGate } from "@tau/agent";
import { onDispose } from "@tau/utils";

/** One gate, or a source of gates that is asked at each call: handlers of extensions come and go. */
export type GateSource = ToolGate | (() => Iterable<ToolGate>);

export class ToolHooks {
	readonly #sources = new Set<{ gates(): Iterable<ToolGate> }>();
	readonly #policy: ToolGate | undefined;

	constructor(policy?: ToolGate) {
		this.#policy = policy;
	}

	add(source: GateSource): Disposable {
		const row = { gates: typeof source === "function" ? source : () => [source] };
		this.#sources.add(row);
		return onDispose(() => this.#sources.delete(row));
	}

	*gates(): Iterable<ToolGate> {
		for (const source of this.#sources) yield* source.gates();
	}

	*all(): Iterable<ToolGate> {
		yield* this.gates();
		// The last one: it asks the user, for others too.
		if (this.#policy) yield this.#policy;
	}
}
