/** The tool calls of a session and of its agents: each under one id, with the call that it is a part of, and with an end. */
import type { ShownCall } from "@tau/session-commands/shared/shown-call";
import type { EventFrame, EventFrameOf } from "@tau/wire";

export type CallResult = EventFrameOf<"tool_execution_end">["result"];
type CallEvent = EventFrameOf<"tool_execution_start" | "tool_execution_update" | "tool_execution_end">;

export interface FollowedCall extends ShownCall {
	/** The call that it is a part of: the one that opened its agent, or that made it. */
	readonly parentId?: string | undefined;
}

/** What is news of a call. Every call begins once and ends once, also one that never ran or was interrupted. */
export type CallStep = { readonly id: string } & (
	| { readonly kind: "began"; readonly call: FollowedCall; readonly isRunning: boolean }
	| { readonly kind: "running"; readonly call: FollowedCall }
	| { readonly kind: "output"; readonly call: FollowedCall; readonly result: CallResult }
	| {
			readonly kind: "ended";
			readonly call: FollowedCall;
			readonly result: CallResult;
			readonly isError: boolean;
	  }
	| { readonly kind: "dropped"; readonly isError: boolean }
);

export class Calls {
	readonly #cwd: () => string;
	readonly #open = new Map<string, FollowedCall>();
	/** By their ids: their names, and the calls that have opened them. */
	readonly #agents = new Map<string, { readonly name: string; readonly parentId?: string | undefined }>();

	constructor(cwd: () => string) {
		this.#cwd = cwd;
	}

	of(event: EventFrame): CallStep[] {
		switch (event.type) {
			case "message_update": {
				const { assistantMessageEvent: part } = event;
				// Long arguments take a while: the client sees at once which tool they are for.
				const isCall = part.type === "toolcall_start" && part.id !== "";
				return isCall ? this.begin(part.id, { toolName: part.name, args: {}, cwd: this.#cwd() }) : [];
			}
			case "agent_end":
				return this.endAll();
			case "child_ended":
				return this.endAll(event.id);
			default:
				return this.#ofAgent(event, undefined);
		}
	}

	/** The id of a call, by the agent that makes it. */
	idOf(toolCallId: string, agent: string | undefined): string {
		const child = [...this.#agents].findLast(([id, { name }]) => agent === id || agent === name)?.[0];
		return idIn(toolCallId, child);
	}

	/** Whether it has begun and not ended. */
	isOpen(id: string): boolean {
		return this.#open.has(id);
	}

	/** Makes a call known that no event has announced. */
	begin(id: string, call: FollowedCall, isRunning = false): CallStep[] {
		if (this.#open.has(id)) return [];
		this.#open.set(id, call);
		return [{ kind: "began", id, call, isRunning }];
	}

	/** Ends a call that no event will end. */
	end(id: string, isError: boolean): CallStep[] {
		return this.#open.delete(id) ? [{ kind: "dropped", id, isError }] : [];
	}

	/** Calls that were announced and never ran, or were interrupted: all, or those of an agent. */
	endAll(child?: string): CallStep[] {
		const ids = [...this.#open.keys()].filter((id) => child === undefined || id.startsWith(`${child}/`));
		return ids.flatMap((id) => this.end(id, true));
	}

	/** What an agent says is in the result of the call that opened it; its calls are followed beside. */
	#ofAgent(event: EventFrame, child: string | undefined): CallStep[] {
		switch (event.type) {
			case "child_started": {
				const { id, name, toolCallId } = event;
				const parentId = toolCallId === undefined ? undefined : idIn(toolCallId, child);
				this.#agents.set(id, { name, parentId });
				return [];
			}
			case "child_event":
				return this.#ofAgent(event.event, event.id);
			case "tool_execution_start":
			case "tool_execution_update":
			case "tool_execution_end":
				return this.#step(event, child);
			default:
				return [];
		}
	}

	#step(event: CallEvent, child: string | undefined): CallStep[] {
		const id = idIn(event.toolCallId, child);
		const known = this.#open.get(id);
		const opener = child === undefined ? undefined : this.#agents.get(child);
		const caller = event.parentToolCallId;
		const call: FollowedCall = {
			toolName: event.toolName,
			args: "args" in event ? event.args : (known?.args ?? {}),
			cwd: this.#cwd(),
			agent: opener?.name ?? child,
			parentId: caller === undefined ? opener?.parentId : idIn(caller, child),
		};
		if (event.type === "tool_execution_start") {
			const began = this.begin(id, call, true);
			this.#open.set(id, call);
			return began.length > 0 ? began : [{ kind: "running", id, call }];
		}
		if (event.type === "tool_execution_update")
			return known ? [{ kind: "output", id, call, result: event.partialResult }] : [];
		const before = this.begin(id, call);
		this.#open.delete(id);
		return [...before, { kind: "ended", id, call, result: event.result, isError: event.isError }];
	}
}

function idIn(toolCallId: string, child: string | undefined): string {
	return child === undefined ? toolCallId : `${child}/${toolCallId}`;
}
