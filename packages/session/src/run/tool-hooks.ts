/** What behaviors have to say about tool calls: before one runs, and about what it gave back. */
import type { AgentToolResult, ToolCallVerdict } from "@tau/agent";
import type { ToolCall } from "@tau/ai";
import { log, onDispose } from "@tau/utils";

type Perhaps<T> = T | undefined | Promise<T | undefined>;

/** Asked about a call whose arguments are right. One that throws has not said yes: the call is not run. */
export type ToolCheck = (
	call: ToolCall,
	args: Record<string, unknown>,
	signal: AbortSignal,
) => Perhaps<ToolCallVerdict>;

/** May change what a call gave back; one that throws has changed nothing. */
export type ToolChange = (
	call: ToolCall,
	result: AgentToolResult,
	signal: AbortSignal,
) => Perhaps<AgentToolResult>;

export class ToolHooks {
	readonly #checks = new Set<ToolCheck>();
	readonly #changes = new Set<ToolChange>();

	before(check: ToolCheck): Disposable {
		return register(this.#checks, check);
	}

	after(change: ToolChange): Disposable {
		return register(this.#changes, change);
	}

	/** In the order of attachment; the first no counts. */
	async check(...asked: Parameters<ToolCheck>): Promise<ToolCallVerdict | undefined> {
		for (const check of this.#checks) {
			const verdict = await check(...asked);
			if (verdict?.block) return verdict;
		}
		return undefined;
	}

	/** Each gets what the one before it made of the result. */
	async change(
		call: ToolCall,
		result: AgentToolResult,
		signal: AbortSignal,
	): Promise<AgentToolResult | undefined> {
		let changed = result;
		for (const change of this.#changes) {
			try {
				changed = (await change(call, changed, signal)) ?? changed;
			} catch (error) {
				log.error("a behavior failed on a tool result", { tool: call.name, reason: String(error) });
			}
		}
		return changed;
	}
}

function register<T>(among: Set<T>, one: T): Disposable {
	among.add(one);
	return onDispose(() => among.delete(one));
}
