/** Takes a tool call through its gates: rewriting, judging, and changing the result. */
import { abortable, isTimeout, once, report, withTimeout } from "@tau/utils/portable";

import { limits } from "./limits.ts";
import { reasonOf } from "./reason.ts";
import type { CheckedCall, Decision, FrozenCall, JudgedPaths, ToolGate } from "./tool-gate.ts";
import type { AgentToolResult } from "./types.ts";

export type Rewritten =
	{ ok: true; call: FrozenCall; lastRewriter: number } | { ok: false; call: FrozenCall; reason: string };

/** Asks each gate for other arguments, and has the tool validate them again after each. */
export async function rewriteCall(
	call: FrozenCall,
	gates: readonly ToolGate[],
	signal: AbortSignal,
): Promise<Rewritten> {
	const { id, name, tool } = call;
	let current = call;
	const rewrittenBy: string[] = [];
	let lastRewriter = -1;
	for (const [index, gate] of gates.entries()) {
		if (!gate.rewrite) continue;
		const asked = current;
		const answer = await ask(gate, name, signal, async (until) => gate.rewrite?.(asked, until));
		if (!answer.ok) return { ok: false, call: current, reason: answer.reason };
		const { arguments: next, deny } = answer.value ?? {};
		if (next) {
			const checked = tool.validate(next);
			if (!checked.ok) {
				const reason = `${gate.name} changed the arguments of ${name}, and they are not valid: ${checked.reason}`;
				return { ok: false, call: current, reason };
			}
			rewrittenBy.push(gate.name);
			current = frozenCall({ id, name, tool, arguments: checked.value }, rewrittenBy);
			lastRewriter = index;
		}
		if (deny !== undefined) return { ok: true, call: viewOf(current, { denied: deny }), lastRewriter };
	}
	return { ok: true, call: current, lastRewriter };
}

/** Asks every gate. One denial is enough, and the first one is the reason; what is allowed is allowed within what all gates judged. */
export async function judgeCall(
	call: FrozenCall,
	lastRewriter: number,
	gates: readonly ToolGate[],
	signal: AbortSignal,
): Promise<Decision> {
	let { denied } = call;
	let shown: string | undefined;
	let within: JudgedPaths | undefined;
	let allowedBy: string | undefined;
	const askFor: string[] = [];
	for (const [index, gate] of gates.entries()) {
		if (!gate.judge) continue;
		const view = viewOf(call, { changedSince: index < lastRewriter, denied, askFor, allowedBy });
		const answer = await ask(gate, call.name, signal, async (until) => gate.judge?.(view, until));
		if (!answer.ok) denied ??= answer.reason;
		else if (answer.value?.allow === false) {
			if (denied === undefined) ({ shown } = answer.value);
			denied ??= answer.value.reason;
		} else if (answer.value?.allow === "ask") askFor.push(answer.value.reason);
		else if (answer.value) {
			const { within: limit, unasked, asked, amended } = answer.value;
			// The other gates are asked about the call that the user wants instead.
			if (amended && denied === undefined) return { allow: true, amended };
			if (limit) within = within ? both(within, limit) : limit;
			if (unasked) allowedBy ??= gate.name;
			if (asked) askFor.length = 0;
		}
	}
	denied ??= askFor[0] && `${call.name} needs the user's approval, and nobody can be asked: ${askFor[0]}`;
	if (denied !== undefined) {
		within?.ended?.();
		return { allow: false, reason: denied, ...(shown === undefined ? {} : { shown }) };
	}
	return { allow: true, ...(within ? { within } : {}) };
}

/** Each gate gets what the one before it made of the result; one that throws changes nothing. */
export async function changeResult(
	call: FrozenCall,
	result: AgentToolResult,
	gates: readonly ToolGate[],
	signal: AbortSignal,
): Promise<AgentToolResult> {
	let changed = result;
	for (const gate of gates) {
		try {
			changed = (await gate.change?.(call, changed, signal)) ?? changed;
		} catch (error) {
			report("a tool gate failed on a result", {
				gate: gate.name,
				tool: call.name,
				reason: reasonOf(error),
			});
		}
	}
	return changed;
}

export type Amended = { ok: true; call: FrozenCall; note: string } | { ok: false; reason: string };

/** The call as the user has changed it, validated again, with the note for the model about the change. */
export function amendCall(call: FrozenCall, args: Record<string, unknown>): Amended {
	const { id, name, tool } = call;
	const checked = tool.validate(args);
	if (!checked.ok)
		return {
			ok: false,
			reason: `The user changed the arguments of ${name}, and they are not valid: ${checked.reason}`,
		};
	const rewrittenBy = [...call.rewrittenBy, "The user"];
	const amended = frozenCall({ id, name, tool, arguments: checked.value }, rewrittenBy);
	const changed = Object.entries(amended.arguments).filter(
		([key, value]) => JSON.stringify(value) !== JSON.stringify(call.arguments[key]),
	);
	const ran = changed.map(
		([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
	);
	return {
		ok: true,
		call: amended,
		note: `the user changed this call before allowing it, and it ran with ${cut(ran.join(", "))}`,
	};
}

function cut(text: string): string {
	return text.length <= limits.amendedChars ? text : `${text.slice(0, limits.amendedChars)}…`;
}

type GateAnswer<T> = { ok: true; value: T } | { ok: false; reason: string };

/** A gate that throws or takes too long has not allowed the call. Rejects when the user stops the run meanwhile. */
async function ask<T>(
	gate: ToolGate,
	tool: string,
	signal: AbortSignal,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<GateAnswer<T>> {
	const { deadlineMs = limits.gateMs } = gate;
	const reason = `${gate.name} did not answer within ${Math.round(deadlineMs / 1000)} s`;
	using deadline = deadlineMs === Infinity ? undefined : withTimeout(signal, deadlineMs, reason);
	const until = deadline?.signal ?? signal;
	try {
		return { ok: true, value: await abortable(work(until), until) };
	} catch (error) {
		signal.throwIfAborted();
		const why = isTimeout(error) ? reason : reasonOf(error);
		// Another machine that cannot be reached has refused nothing.
		if (isConnectionLost(error)) return { ok: false, reason: `${tool} was not run: ${why}` };
		return { ok: false, reason: `${tool} was not run, because a check failed: ${why}` };
	}
}

function isConnectionLost(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ECONNRESET";
}

/** With a copy of the arguments that is frozen. */
export function frozenCall(
	{ id, name, tool, arguments: given }: CheckedCall,
	rewrittenBy: readonly string[] = [],
): FrozenCall {
	const args = frozenCopy(given) as Readonly<Record<string, unknown>>;
	// All gates judge the same: a shell may change its directory between two of them.
	const touches = once(() => tool.touches?.(args) ?? []);
	return {
		id,
		name,
		tool,
		arguments: args,
		get touches() {
			return touches();
		},
		rewrittenBy: [...rewrittenBy],
		changedSince: false,
	};
}

/** The call as a gate sees it. The original's getter stays a getter: most gates never ask what a call touches. */
export function viewOf(
	call: FrozenCall,
	facts: Partial<Pick<FrozenCall, "changedSince" | "askFor" | "within">> & {
		denied?: string | undefined;
		allowedBy?: string | undefined;
	},
): FrozenCall {
	return Object.assign(Object.create(call) as FrozenCall, facts);
}

/** Copies and freezes JSON values; instances of classes, which a schema may have created, stay unchanged. */
function frozenCopy(value: unknown): unknown {
	if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy));
	if (!isPlain(value)) return value;
	const entries = Object.entries(value).map(([key, part]) => [key, frozenCopy(part)] as const);
	return Object.freeze(Object.fromEntries(entries));
}

function isPlain(value: unknown): value is Record<string, unknown> {
	if (typeof value !== "object" || value === null) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}

/** What both allow. */
function both(one: JudgedPaths, other: JudgedPaths): JudgedPaths {
	return {
		realPath: (path) => one.realPath(path) ?? other.realPath(path),
		allows: (kind, real) => one.allows(kind, real) && other.allows(kind, real),
		accepts: (real, stamp) => one.accepts(real, stamp) && other.accepts(real, stamp),
		changed(real) {
			one.changed(real);
			other.changed(real);
		},
		runs(ended) {
			one.runs?.(ended);
			other.runs?.(ended);
		},
		ended() {
			one.ended?.();
			other.ended?.();
		},
	};
}
