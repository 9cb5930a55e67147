/** Reads what sessions of Codex used: it writes the sum of the session after each answer. */
import { answerKey, type Counter, type SessionFacts } from "../event.ts";
import { limits } from "../limits.ts";
import { priceOf } from "./prices.ts";
import { readLines } from "./read-lines.ts";
import type { ScanFile, Scanned } from "./scanner.ts";
import { count, object, parse, text, time, type Json } from "./values.ts";

interface State {
	id: string;
	cwd: string;
	model: string;
	provider: string;
	agent: string;
	title?: string;
	/** Input, cached input and output, of the session so far. */
	totals: number[];
}

const toolCall = /^"type":"(?:function_call|custom_tool_call|local_shell_call|web_search_call)"/;

export function scanCodex(scan: ScanFile, counter: Counter): Scanned {
	const state = stateOf(scan);
	let last = scan.last;
	const offset = readLines(scan.file, scan.from, scan.size, (bytes, start, end) => {
		const head = bytes.toString("latin1", start, Math.min(end, start + limits.headBytes));
		const payload = head.slice(head.indexOf('"payload":{') + '"payload":{'.length);
		const isCall = head.includes('"type":"response_item"') && toolCall.test(payload);
		const isFact = /"type":"(?:session_meta|turn_context)"/.test(head);
		if (!isFact && !isCall && !/^"type":"(?:token_count|user_message)"/.test(payload)) return;
		const line = end - start > limits.parseBytes ? undefined : parse(bytes.toString("utf8", start, end));
		if (!line) return;
		const at = time(line.timestamp);
		if (isFact) return learn(state, object(line.payload));
		if (!isCall) return counted(line, at, state, counter);
		if (at <= scan.last) return;
		last = Math.max(last, at);
		const { name, type } = object(line.payload);
		const tool = text(name) || text(type).replace(/_call$/, "");
		counter.tool({ at, session: factsOf(state), tool, isError: false, durationMs: 0 });
	});
	return { offset, last, state: JSON.stringify(state), session: `codex:${state.id}` };
}

function stateOf({ state, path, from }: ScanFile): State {
	const kept = from > 0 && state !== null ? parse(state) : undefined;
	const totals = Array.isArray(kept?.totals) ? kept.totals.map(count) : [0, 0, 0];
	return {
		id: text(kept?.id) || path,
		cwd: text(kept?.cwd),
		model: text(kept?.model) || "unknown",
		provider: text(kept?.provider) || "openai",
		agent: text(kept?.agent),
		totals,
	};
}

/** What the lines before an answer say about it. */
function learn(state: State, payload: Json): void {
	state.id = text(payload.id) || state.id;
	state.cwd = text(payload.cwd) || state.cwd;
	state.model = text(payload.model) || state.model;
	state.provider = text(payload.model_provider) || state.provider;
	if (object(payload.source).subagent !== undefined) state.agent = "agent";
}

function counted(line: Json, at: number, state: State, counter: Counter): void {
	const payload = object(line.payload);
	if (payload.type === "user_message") {
		state.title ??= text(payload.message);
		return;
	}
	const info = object(payload.info);
	const sum = object(info.total_token_usage);
	const totals = [sum.input_tokens, sum.cached_input_tokens, sum.output_tokens].map(count);
	if (at === 0 || totals.every((total) => total === 0)) return;
	// The same sum comes again with news about limits; a smaller one begins anew after a compaction.
	const before = totals.every((total, index) => total >= (state.totals[index] ?? 0))
		? state.totals
		: [0, 0, 0];
	const [all = 0, cacheRead = 0, output = 0] = totals.map((total, index) => total - (before[index] ?? 0));
	state.totals = totals;
	if (all + output === 0) return;
	const input = Math.max(0, all - cacheRead);
	counter.answer({
		key: answerKey(at, totals),
		at,
		session: factsOf(state),
		provider: state.provider,
		model: state.model,
		role: "turn",
		input,
		output,
		cacheRead,
		cacheWrite: 0,
		nanos: priceOf(state.provider, state.model, [input, output, cacheRead, 0]),
		isEstimate: true,
		durationMs: 0,
		ttftMs: 0,
		failure: "",
		errorText: "",
		entry: "",
	});
}

function factsOf({ id, cwd, agent, title }: State): SessionFacts {
	const facts = { id: `codex:${id}`, source: "codex" as const, project: cwd, agent };
	return title === undefined || title.trim() === "" ? facts : { ...facts, title };
}
