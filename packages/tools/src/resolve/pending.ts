/** The changes that were shown and not made yet: the newest is decided on first. */
import type { AgentToolResult, TextChange } from "@tau/agent";
import type { ServiceKey } from "../tool/services.ts";
import { limits } from "./limits.ts";
import type { CommitOptions, MachineFiles } from "@tau/sys";

export interface PendingAction {
	/** A short description of what it would do. */
	label: string;
	sourceToolName: string;
	/** The files that it would write, absolute. */
	paths?: readonly string[];
	/** The texts that it would replace. */
	changes?: readonly TextChange[];
	/** The files and options are those of the call that decides: it was judged by what it writes. */
	apply(reason: string, files: MachineFiles, options: CommitOptions): Promise<AgentToolResult>;
	/** The message that replaces "Discarded", where discarding needs cleanup. */
	reject?(reason: string): Promise<AgentToolResult | undefined>;
}

export class PendingActions {
	readonly #stack: PendingAction[] = [];

	get count(): number {
		return this.#stack.length;
	}

	push(action: PendingAction): void {
		if (this.#stack.length >= limits.pending) this.#stack.shift();
		this.#stack.push(action);
	}

	peek(): PendingAction | undefined {
		return this.#stack.at(-1);
	}

	pop(): PendingAction | undefined {
		return this.#stack.pop();
	}
}

export const pendingActions: ServiceKey<PendingActions> = {
	name: "pending actions",
	create: () => new PendingActions(),
};
