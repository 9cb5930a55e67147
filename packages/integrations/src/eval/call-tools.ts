/** Lets a cell call the tools of the session: with the checks, approvals and events of any call. */
import type { AgentToolResult } from "@tau/agent";
import { isRecord } from "@tau/utils";

import type { ToolContext } from "@tau/tools/tool";
import type { CallFrame } from "./frames.ts";
import type { CellEvents } from "./interpreter.ts";
import { limits } from "./limits.ts";

/** The calls of one cell. */
export function callsOf({
	session,
	toolCallId,
	signal,
}: Pick<ToolContext, "session" | "toolCallId" | "signal">): CellEvents["onCall"] {
	let count = 0;
	const slots = new Slots(limits.callsAtOnce);
	return async ({ tool: name, positional, named, checks: checksOnly = false }) => {
		const { callTool } = session;
		// Without a session nothing is checked for anyone.
		if (!callTool) return checksOnly ? { ok: true, text: "" } : failed("There are no tools to call here.");
		const number = ++count;
		if (number > limits.calls) return failed(`A cell can call tools ${limits.calls} times.`);
		const tool = session.callableTools?.().find((each) => each.name === name);
		// It would wait for itself.
		if (name === "eval") return failed("A cell cannot run cells.");
		const args = argumentsOf(positional, named, tool?.parameters);
		if (typeof args === "string") return failed(`tools.${name}: ${args}`);
		const call = { id: `${toolCallId}/${number}`, parentId: toolCallId, name, args, signal, checksOnly };
		const run = (): Promise<AgentToolResult> => callTool(call);
		const result = await slots.run(run, tool?.concurrency === "exclusive");
		return { ok: result.isError !== true, text: textOf(result) };
	};
}

function failed(text: string): { ok: false; text: string } {
	return { ok: false, text };
}

function textOf({ content }: AgentToolResult): string {
	return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}

/** Positional arguments are those of the schema, in its order; one object holds all of them. */
function argumentsOf(
	positional: CallFrame["positional"],
	named: CallFrame["named"],
	schema: Record<string, unknown> | undefined,
): Record<string, unknown> | string {
	const [first] = positional;
	if (positional.length === 1 && isRecord(first)) return { ...first, ...named };
	const names = isRecord(schema?.properties) ? Object.keys(schema.properties) : [];
	if (positional.length > names.length) return `it takes ${names.length} arguments: ${names.join(", ")}.`;
	return { ...Object.fromEntries(positional.map((value, at) => [names[at], value])), ...named };
}

/** Shared work runs side by side up to a number, exclusive work alone; both in the order in which they came. */
class Slots {
	readonly #most: number;
	readonly #running = new Set<Promise<unknown>>();
	#turn: Promise<unknown> = Promise.resolve();

	constructor(most: number) {
		this.#most = most;
	}

	async run<T>(work: () => Promise<T>, isExclusive: boolean): Promise<T> {
		const admitted = this.#turn.then(async () => {
			if (isExclusive) await Promise.allSettled(this.#running);
			else if (this.#running.size >= this.#most) await Promise.race(this.#running);
			const running = work().finally(() => this.#running.delete(running));
			this.#running.add(running);
			return { running };
		});
		const turn = isExclusive ? admitted.then(({ running }) => running) : admitted;
		this.#turn = turn.catch(() => {});
		return (await admitted).running;
	}
}
