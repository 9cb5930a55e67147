/** Runs the tool calls of one answer and turns whatever happens into results, in the order of the calls. */
import type { ToolCall, ToolResultMessage } from "@tau/ai/portable";
import { listen, shareTurn, timer } from "@tau/utils/portable";
import { limits } from "./limits.ts";
import { amendCall, changeResult, frozenCall, judgeCall, rewriteCall, viewOf } from "./pass-gates.ts";
import { reasonOf } from "./reason.ts";
import type { FrozenCall, JudgedPaths, ToolGate } from "./tool-gate.ts";
import type { AgentContext, AgentEvent, AgentLoopConfig, AgentTool, AgentToolResult } from "./types.ts";

/** What running the calls of an answer needs of a run. */
export interface ToolRun {
	context: Pick<AgentContext, "tools">;
	config: Pick<AgentLoopConfig, "steering" | "interrupt" | "toolGates" | "findTool" | "clock">;
	signal: AbortSignal;
	emit(event: AgentEvent): void;
	/** Resolves when listeners have seen every event so far. */
	drained(): Promise<void>;
}

export async function runTools(calls: readonly ToolCall[], run: ToolRun): Promise<ToolResultMessage[]> {
	const tools = await toolsFor(calls, run);
	const results: ToolResultMessage[] = [];
	const turns = new Turns();
	// A tool that was called by another of its names is judged and shown under its own.
	const own = calls.map((call) => ({ ...call, name: tools.get(call.name)?.name ?? call.name }));
	for (const batch of batches(own, tools)) {
		await shareTurn(limits.pieceMs);
		// The user has sent a message: calls that have not started would follow a plan that is about to change.
		const steered = results.length > 0 && (run.config.steering?.waiting ?? 0) > 0;
		results.push(...(await Promise.all(batch.map((call) => runOne(call, { tools, run, turns, steered })))));
	}
	// Models match results with their calls by the name that they wrote.
	return results.map((result, at) => ({ ...result, toolName: calls[at]?.name ?? result.toolName }));
}

/** The declared tools, and those of the calls that exist without being declared. */
async function toolsFor(calls: readonly ToolCall[], run: ToolRun): Promise<Map<string, AgentTool>> {
	const tools = new Map(run.context.tools.map((tool) => [tool.name, tool]));
	const missing = new Set(calls.map(({ name }) => name).filter((name) => !tools.has(name)));
	await Promise.all(
		[...missing].map(async (name) => {
			const tool = await run.config.findTool?.(name, run.signal).catch(() => undefined);
			if (tool) tools.set(name, tool).set(tool.name, tool);
		}),
	);
	return tools;
}

/** Neighbors that may share run together; an exclusive call is a batch of its own. */
function batches(calls: readonly ToolCall[], tools: ReadonlyMap<string, AgentTool>): ToolCall[][] {
	const out: ToolCall[][] = [];
	let open: ToolCall[] | undefined;
	for (const call of calls) {
		const alone = tools.get(call.name)?.concurrency === "exclusive";
		if (open && !alone) open.push(call);
		else out.push((open = [call]));
		if (alone) open = undefined;
	}
	return out;
}

interface OneRun {
	tools: ReadonlyMap<string, AgentTool>;
	run: ToolRun;
	turns: Turns;
	/** The user has sent a message since the answer. */
	steered: boolean;
}

/** A call that gates and the user let run, or why it does not. */
type Admission =
	| { ok: true; call: FrozenCall; gates: readonly ToolGate[]; notes: readonly string[]; within?: JudgedPaths }
	| { ok: false; reason: string; shown?: string | undefined; call?: FrozenCall };

interface Ran {
	result: AgentToolResult;
	durationMs?: number;
}

async function runOne(call: ToolCall, one: OneRun): Promise<ToolResultMessage> {
	const { run } = one;
	const { id: toolCallId, name: toolName } = call;
	const gates = one.steered ? [] : gatesOf(run);
	// Gates see the calls of an answer one after the other, in order; the calls themselves run side by side.
	const admission = gates.some(({ rewrite, judge }) => rewrite ?? judge)
		? await one.turns.next(() => admit(call, gates, one))
		: admitUnasked(call, gates, one);
	const { result, ...took }: Ran = admission.ok
		? await execute(admission, run)
		: { result: refusal(admission.reason, admission.shown) };
	const isError = result.isError === true;
	run.emit({ type: "tool_execution_end", toolCallId, toolName, result, isError, ...took });
	return {
		role: "toolResult",
		toolCallId,
		toolName,
		content: result.content,
		...(result.details === undefined ? {} : { details: result.details }),
		...(result.usage === undefined ? {} : { usage: result.usage }),
		isError,
		...rewrittenIn(admission.call),
		...(result.useless && !isError ? { useless: true } : {}),
		...(result.foundTools?.length && !isError ? { foundTools: [...result.foundTools] } : {}),
		timestamp: Date.now(),
		...took,
	};
}

/** If the gates fail to load, the call is not allowed. */
function gatesOf({ config }: ToolRun): readonly ToolGate[] {
	try {
		return [...(config.toolGates?.() ?? [])];
	} catch (error) {
		const reason = `The checks of the call failed: ${reasonOf(error)}`;
		return [{ name: "The checks of the call", judge: () => ({ allow: false, reason }) }];
	}
}

/** The assistant message keeps what the model wrote; the result says what ran instead. */
function rewrittenIn(call: FrozenCall | undefined): Pick<ToolResultMessage, "rewritten"> {
	if (!call || call.rewrittenBy.length === 0) return {};
	return { rewritten: { by: [...call.rewrittenBy], arguments: call.arguments } };
}

/** Without gates the call is announced at once, in the order of the calls. */
function admitUnasked(call: ToolCall, gates: readonly ToolGate[], one: OneRun): Admission {
	const checked = check(call, one);
	if (!checked.ok) {
		announce(call, call.arguments, one.run);
		return checked;
	}
	const { frozen, notes } = checked;
	announce(call, frozen.arguments, one.run);
	return { ok: true, call: frozen, gates, notes };
}

/** Validates, rewrites, announces and judges, in this order. Never rejects; the call is announced in any case. */
async function admit(call: ToolCall, gates: readonly ToolGate[], one: OneRun): Promise<Admission> {
	const { run } = one;
	let isAnnounced = false;
	const announceOnce = (args: Readonly<Record<string, unknown>>): void => {
		if (!isAnnounced) announce(call, args, run);
		isAnnounced = true;
	};
	try {
		const checked = check(call, one);
		if (!checked.ok) {
			announceOnce(call.arguments);
			return checked;
		}
		// Gates look at the log and at the session: those have to know of the call first.
		if (run.config.interrupt) await run.drained();
		const rewritten = await rewriteCall(checked.frozen, gates, run.signal);
		announceOnce(rewritten.call.arguments);
		if (!rewritten.ok) return { ok: false, reason: rewritten.reason };
		const { call: frozen, lastRewriter } = rewritten;
		return await admitJudged(frozen, lastRewriter, { gates, notes: checked.notes, signal: run.signal });
	} catch (error) {
		announceOnce(call.arguments);
		return { ok: false, reason: failureOf(error, run.signal) };
	}
}

/** A call that the user changes before allowing it is judged anew, by every gate. */
async function admitJudged(
	call: FrozenCall,
	lastRewriter: number,
	on: { gates: readonly ToolGate[]; notes: readonly string[]; signal: AbortSignal },
): Promise<Admission> {
	const { gates, notes, signal } = on;
	const verdict = await judgeCall(call, lastRewriter, gates, signal);
	if (!verdict.allow) return { ok: false, reason: verdict.reason, shown: verdict.shown, call };
	const { within, amended } = verdict;
	if (!amended) return { ok: true, call, gates, notes, ...(within ? { within } : {}) };
	const next = amendCall(call, amended);
	if (!next.ok) return { ...next, call };
	// Gates that could rewrite the call have not seen it as it is now.
	return await admitJudged(next.call, gates.length, { ...on, notes: [...notes, next.note] });
}

type Checked = { ok: true; frozen: FrozenCall; notes: readonly string[] } | { ok: false; reason: string };

/** Whether the call can run at all: the tool exists and accepts the arguments. */
function check(call: ToolCall, { tools, run: { signal }, steered }: OneRun): Checked {
	const no = (reason: string): Checked => ({ ok: false, reason });
	if (steered) return no("Skipped: the user sent a new message before this call started.");
	if (signal.aborted) return no("Not run: the user interrupted the turn.");
	const tool = tools.get(call.name);
	if (!tool)
		return no(`There is no tool "${call.name}". Available: ${[...tools.keys()].join(", ") || "none"}.`);
	if (call.malformed !== undefined)
		return no(`Invalid arguments for ${call.name}: ${call.malformed}. Send them again.`);
	try {
		const valid = tool.validate(call.arguments);
		if (!valid.ok) return no(`Bad arguments for ${call.name}: ${valid.reason}`);
		const frozen = frozenCall({ id: call.id, name: call.name, tool, arguments: valid.value });
		return { ok: true, frozen, notes: valid.notes ?? [] };
	} catch (error) {
		return no(failureOf(error, signal));
	}
}

function announce({ id, name }: ToolCall, args: Readonly<Record<string, unknown>>, run: ToolRun): void {
	run.emit({ type: "tool_execution_start", toolCallId: id, toolName: name, args });
}

async function execute(
	{ call, gates, notes, within }: Extract<Admission, { ok: true }>,
	run: ToolRun,
): Promise<Ran> {
	const now = (): number => run.config.clock?.() ?? performance.now();
	const began = now();
	const result = withNotes(await perform(call, within, run), notes);
	// The time of the tool alone: what changes its result may wait for the user.
	const durationMs = Math.round(now() - began);
	if (gates.length === 0) return { result, durationMs };
	const judged = within ? viewOf(call, { within }) : call;
	return { result: await changeResult(judged, result, gates, run.signal), durationMs };
}

function failureOf(error: unknown, signal: AbortSignal): string {
	return signal.aborted ? "Interrupted by the user." : reasonOf(error);
}

async function perform(
	{ id: toolCallId, name: toolName, tool, arguments: args }: FrozenCall,
	within: JudgedPaths | undefined,
	run: ToolRun,
): Promise<AgentToolResult> {
	let open = true;
	const onUpdate = (partialResult: AgentToolResult): void => {
		// Updates of a tool after its result are dropped: the event order is a promise.
		if (open) run.emit({ type: "tool_execution_update", toolCallId, toolName, args, partialResult });
	};
	try {
		return await withinGrace(tool.execute(toolCallId, args, run.signal, onUpdate, within), run.signal);
	} catch (error) {
		// A failure is a result like any other: gates see it too.
		return refusal(failureOf(error, run.signal));
	} finally {
		open = false;
		within?.ended?.();
	}
}

/** Starts each piece of work when the one before it has ended. */
class Turns {
	#last: Promise<unknown> = Promise.resolve();

	next<T>(work: () => Promise<T>): Promise<T> {
		const turn = this.#last.then(work, work);
		this.#last = turn;
		return turn;
	}
}

/** The model reads how its arguments were taken, so that it gets them right the next time. */
function withNotes(result: AgentToolResult, notes: readonly string[] = []): AgentToolResult {
	if (notes.length === 0) return result;
	return { ...result, content: [...result.content, { type: "text", text: `(${notes.join("; ")})` }] };
}

/** Rejects if the work continues for too long after an abort: a tool that ignores it cannot block the turn. */
async function withinGrace<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	using owned = new DisposableStack();
	const overdue = Promise.withResolvers<never>();
	const count = (): void => {
		owned.use(timer(limits.abortGraceMs, () => overdue.reject(signal.reason)));
	};
	if (signal.aborted) count();
	else owned.use(listen(signal, "abort", count));
	return await Promise.race([work, overdue.promise]);
}

function refusal(text: string, shown?: string): AgentToolResult {
	const details = shown === undefined ? {} : { details: { shown } };
	return { content: [{ type: "text", text }], ...details, isError: true };
}
