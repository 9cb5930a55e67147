/** Reads what sessions of Tau, pi and omp cost: only the ends of their lines are decoded, not what was said. */
import { answerKey, type Counter, type SessionFacts, type Source } from "../event.ts";
import { limits } from "../limits.ts";
import { readLines } from "./read-lines.ts";
import type { Scan, ScanFile, Scanned } from "./scanner.ts";
import { UsualLines, type UsualAnswer, type UsualResult } from "./usual-lines.ts";
import { amount, count, object, parse, text, time, words, type Json } from "./values.ts";

/** The text after the content. Quotes in a string would be escaped, so that these are keys. */
const contentEnd = '],"api":"';
const roleKey = '"message":{"role":"';
const idKey = '{"type":"message","id":"';
const beyondAscii = /[\u0080-\u00FF]/;
const usualResultEnd = /^"isError":(true|false),"timestamp":(\d+)(?:,"durationMs":(\d+))?\}\}$/;
/** Entries outside of the conversation that say what something cost. */
const besideTypes = /^\{"type":"(?:usage|model_usage|compaction|branch_summary)"/;
/** Entries that say something about the session. */
const factTypes = /^\{"type":"(?:session|title|session_init|session_info|title_change)"/;

/** Whom an answer was paid, for how much. Values are those of the file, which may be anything. */
interface Paid {
	provider: string;
	model: string;
	/** Input, output, cache read, cache write. */
	tokens: readonly unknown[];
	/** Dollars: the same, and the total. */
	cost: readonly unknown[];
	durationMs: unknown;
	ttftMs: unknown;
}

/** What an answer was for, and how it ended. */
interface About {
	at: number;
	role: string;
	entry: string;
	failure: string;
	errorText: string;
}

const usualLines = new UsualLines();

export function sessionScan(source: Source, isAgent: (path: string) => boolean): Scan {
	return (file, counter) => new SessionScan(file, counter, source, isAgent(file.path)).run();
}

class SessionScan {
	readonly #scan: ScanFile;
	readonly #counter: Counter;
	#session: SessionFacts;
	/** Usage lines have everything from here on. */
	#linesFrom = Infinity;
	/** What is older was copied from the session that this one was forked from. */
	#copiedBefore = 0;
	#isImported = false;
	#last: number;

	constructor(scan: ScanFile, counter: Counter, source: Source, isAgent: boolean) {
		this.#scan = scan;
		this.#counter = counter;
		this.#last = scan.last;
		// A file whose header is lost is known by its name.
		this.#session = { id: scan.path, source, project: "", agent: isAgent ? "agent" : "" };
	}

	run(): Scanned {
		const { file, from, size } = this.#scan;
		// The header is read again: a scan that begins further down needs it too.
		if (from > 0)
			readLines(file, 0, Math.min(from, limits.endBytes), (bytes, start, end) =>
				this.#fact(bytes, start, end, false),
			);
		const offset = readLines(file, from, size, (bytes, start, end) => this.#line(bytes, start, end));
		return { offset, last: this.#last, session: this.#session.id };
	}

	#line(bytes: Buffer, start: number, end: number): void {
		const usual = usualLines.read(bytes, start, end);
		if (usual?.kind === "result") return this.#tool(usual.tool, usual);
		if (usual) return this.#usualAnswer(usual);
		const head = bytes.toString("latin1", start, Math.min(end, start + limits.headBytes));
		if (!head.startsWith('{"type":"')) return this.#unordered(bytes, start, end);
		if (head.startsWith('{"type":"message"')) return this.#message(head, bytes, start, end);
		if (besideTypes.test(head)) return this.#beside(whole(bytes, start, end));
		if (factTypes.test(head)) this.#fact(bytes, start, end, true);
	}

	#message(head: string, bytes: Buffer, start: number, end: number): void {
		const at = head.indexOf(roleKey);
		const role = at < 0 ? undefined : head.slice(at + roleKey.length, head.indexOf('"', at + roleKey.length));
		if (role === "assistant") this.#answer(entryOf(head), answerTail(bytes, start, end));
		else if (role === "toolResult") this.#result(head, bytes, start, end);
		else if (role === "user") this.#prompt(bytes, start, end);
		else if (role === undefined) this.#unordered(bytes, start, end);
	}

	/** Other programs order keys differently, and older ones write no `type` first. */
	#unordered(bytes: Buffer, start: number, end: number): void {
		if (bytes.subarray(start, end).indexOf('"usage"') < 0) return;
		const entry = whole(bytes, start, end);
		const message = object(entry?.message);
		if (message.role === "assistant") this.#answer(text(entry?.id), message);
		else if (message.role === "toolResult") this.#called(message);
		else this.#beside(entry);
	}

	#usualAnswer(answer: UsualAnswer): void {
		const at = this.#timeOf(answer);
		if (at > 0) this.#count(answer, { at, role: "turn", entry: answer.entry, failure: "", errorText: "" });
	}

	/** 0 for an answer that is not to be counted here. */
	#timeOf({ timestamp, durationMs }: Json | UsualAnswer): number {
		// An imported answer was counted where it came from; Tau's own ones say how long they took.
		return this.#isImported && durationMs === undefined ? 0 : time(timestamp);
	}

	#answer(entry: string, message: Json | undefined): void {
		const at = message ? this.#timeOf(message) : 0;
		if (!message || at === 0) return;
		const failure = object(message.failure);
		const isFailed = message.stopReason === "error" || message.stopReason === "aborted";
		this.#paid(message, {
			at,
			role: "turn",
			entry,
			failure: isFailed ? text(failure.kind) || (message.stopReason === "error" ? "unknown" : "aborted") : "",
			errorText: text(message.errorMessage) || text(failure.message),
		});
	}

	#beside(entry: Json | undefined): void {
		if (!entry || typeof entry.usage !== "object") return;
		const at = time(entry.timestamp);
		// What agents cost is in their own sessions.
		if (at === 0 || this.#isCounted(at) || entry.kind === "agent") return;
		const role = text(entry.kind) || text(entry.purpose) || text(entry.type);
		this.#paid(entry, { at, role, entry: text(entry.id), failure: "", errorText: "" });
	}

	#paid(holder: Json, about: About): void {
		const usage = object(holder.usage);
		const cost = object(usage.cost);
		this.#count(
			{
				provider: text(holder.provider),
				model: text(holder.model),
				tokens: [usage.input, usage.output, usage.cacheRead, usage.cacheWrite],
				cost: [cost.input, cost.output, cost.cacheRead, cost.cacheWrite, cost.total],
				durationMs: holder.durationMs ?? holder.duration,
				ttftMs: holder.ttftMs ?? holder.ttft,
			},
			about,
		);
	}

	#count({ provider, model, tokens, cost, durationMs, ttftMs }: Paid, about: About): void {
		const input = count(tokens[0]);
		const output = count(tokens[1]);
		const cacheRead = count(tokens[2]);
		const cacheWrite = count(tokens[3]);
		this.#counter.answer({
			key: answerKey(about.at, [input, output, cacheRead, cacheWrite]),
			at: about.at,
			session: this.#session,
			provider: provider || "unknown",
			model: model || "unknown",
			role: about.role,
			input,
			output,
			cacheRead,
			cacheWrite,
			nanos: costOf(cost),
			isEstimate: false,
			durationMs: count(durationMs),
			ttftMs: count(ttftMs),
			failure: about.failure,
			errorText: about.errorText,
			entry: about.entry,
		});
	}

	/** The name is before the content of a result, everything else is behind it. */
	#result(head: string, bytes: Buffer, start: number, end: number): void {
		const name = /"toolName":"((?:[^"\\]|\\.)*)"/.exec(head)?.[1];
		const tail = bytes.toString("latin1", Math.max(start, end - limits.resultTailBytes), end);
		const at = tail.lastIndexOf('"isError":');
		const rest = at < 0 || tail.includes('"usage":{') ? undefined : resultEnd(tail.slice(at));
		if (name === undefined || !rest) return this.#called(object(whole(bytes, start, end)?.message));
		this.#tool(name, rest);
	}

	#called(message: Json): void {
		if (message.role !== "toolResult") return;
		this.#tool(text(message.toolName), message);
		const at = time(message.timestamp);
		if (typeof message.usage !== "object" || message.usage === null || this.#isCounted(at)) return;
		const holder = { provider: "tools", model: text(message.toolName) || "tools", usage: message.usage };
		this.#paid(holder, { at, role: text(message.toolName) || "tool", entry: "", failure: "", errorText: "" });
	}

	#tool(name: string, { timestamp, isError, durationMs }: Json | UsualResult): void {
		const at = time(timestamp);
		if (name === "" || at <= this.#scan.last || this.#isCounted(at)) return;
		this.#last = Math.max(this.#last, at);
		this.#counter.tool({
			at,
			session: this.#session,
			tool: name,
			isError: isError === true,
			durationMs: count(durationMs),
		});
	}

	/** In usage lines, or in the session that this one is a copy of. */
	#isCounted(at: number): boolean {
		return at >= this.#linesFrom || at < this.#copiedBefore;
	}

	/** Without a name, a session is called by its first prompt. */
	#prompt(bytes: Buffer, start: number, end: number): void {
		if (this.#session.title !== undefined || this.#scan.from > 0) return;
		const message = object(whole(bytes, start, Math.min(end, start + limits.endBytes))?.message);
		const title = text(message.called) || words(message.content);
		if (title.trim() !== "") this.#session.title = title;
	}

	#fact(bytes: Buffer, start: number, end: number, isNew: boolean): void {
		const head = bytes.toString("latin1", start, Math.min(end, start + limits.headBytes));
		if (!factTypes.test(head)) return;
		const entry = whole(bytes, start, end);
		if (!entry) return;
		const name = text(entry.title) || text(entry.name);
		if (entry.type === "session") this.#header(entry);
		else if (entry.type === "session_init") this.#session.agent = text(entry.agent) || "agent";
		if (name.trim() !== "" && isNew) this.#session.title = name;
	}

	#header(header: Json): void {
		this.#session.id = text(header.id) || this.#session.id;
		this.#session.project = text(header.cwd);
		this.#linesFrom = this.#counter.linesFrom(this.#session.id);
		this.#copiedBefore = text(header.parentSession) === "" ? 0 : time(header.timestamp);
		this.#isImported = typeof header.importedFrom === "object" && header.importedFrom !== null;
	}
}

/** The message without its content. */
function answerTail(bytes: Buffer, start: number, end: number): Json | undefined {
	return (
		tailOf(bytes, start, end, limits.tailBytes) ??
		tailOf(bytes, start, end, limits.longTailBytes) ??
		object(whole(bytes, start, end)?.message)
	);
}

/** Most have nothing but ASCII after the content, which is decoded at a fraction of the cost. */
function tailOf(bytes: Buffer, start: number, end: number, length: number): Json | undefined {
	const from = Math.max(start, end - length);
	const tail = bytes.toString("latin1", from, end);
	const at = tail.lastIndexOf(contentEnd);
	if (at < 0) return undefined;
	const fields = tail.slice(at + 2);
	const decoded = beyondAscii.test(fields) ? bytes.toString("utf8", from + at + 2, end) : fields;
	return parse(`{${decoded.slice(0, decoded.lastIndexOf("}"))}`);
}

/** What follows the content of a result, which mostly is these three fields. */
function resultEnd(fields: string): Json | undefined {
	const [, isError, timestamp, durationMs] = usualResultEnd.exec(fields) ?? [];
	if (timestamp === undefined) return parse(`{${fields.slice(0, fields.lastIndexOf("}"))}`);
	return { isError: isError === "true", timestamp: Number(timestamp), durationMs: Number(durationMs ?? 0) };
}

function entryOf(head: string): string {
	return head.startsWith(idKey) ? head.slice(idKey.length, head.indexOf('"', idKey.length)) : "";
}

/** Undefined for a line that cannot be parsed, or would take too much memory. */
function whole(bytes: Buffer, start: number, end: number): Json | undefined {
	return end - start > limits.parseBytes ? undefined : parse(bytes.toString("utf8", start, end));
}

/** Undefined if nothing was charged: the model has no price. */
function costOf(cost: Paid["cost"]): number[] | undefined {
	const input = amount(cost[0]);
	const output = amount(cost[1]);
	const read = amount(cost[2]);
	const write = amount(cost[3]);
	const sum = input + output + read + write;
	const total = typeof cost[4] === "number" ? amount(cost[4]) : sum;
	return total === 0 && sum === 0 ? undefined : [input, output, read, write, total - sum];
}
