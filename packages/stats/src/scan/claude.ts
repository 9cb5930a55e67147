/** Reads what sessions of Claude Code used. It writes a line for each block of an answer, each with the usage so far. */
import { namedKey, type Answer, type Counter } from "../event.ts";
import { limits } from "../limits.ts";
import { priceOf } from "./prices.ts";
import { readLines } from "./read-lines.ts";
import type { ScanFile, Scanned } from "./scanner.ts";
import { amount, count, list, object, parse, text, time, words, type Json } from "./values.ts";

/** An answer whose file was written to this recently may get more lines. */
const openMs = 60_000;

interface OpenAnswer {
	answer: Answer;
	/** Where its first line begins. */
	offset: number;
	/** The names of the tools that it called. */
	calls: string[];
}

export function scanClaude(scan: ScanFile, counter: Counter): Scanned {
	const reader = new ClaudeScan(scan, counter);
	const end = readLines(scan.file, scan.from, scan.size, (...line) => reader.line(...line));
	const open = reader.open;
	const isGrowing = open !== undefined && Date.now() - scan.mtimeMs < openMs;
	if (!isGrowing) reader.close();
	return {
		offset: isGrowing ? open.offset : end,
		last: reader.last,
		isOpen: isGrowing,
		session: reader.session,
	};
}

class ClaudeScan {
	readonly #counter: Counter;
	readonly #after: number;
	readonly #path: string;
	/** The answer whose lines are being read. */
	open: OpenAnswer | undefined;
	last: number;
	/** The session of the last answer. */
	session = "";
	#title: string | undefined;
	#needsTitle: boolean;

	constructor({ last, path, from }: ScanFile, counter: Counter) {
		this.#counter = counter;
		this.#after = this.last = last;
		this.#path = path;
		this.#needsTitle = from === 0;
	}

	line(bytes: Buffer, start: number, end: number, offset: number): void {
		const span = bytes.subarray(start, end);
		if (span.includes('"type":"assistant"') && span.includes('"usage":{'))
			return this.#answer(bytes, start, end, offset);
		if (!this.#needsTitle || !span.includes('"type":"user"') || end - start > limits.endBytes) return;
		const line = parse(bytes.toString("utf8", start, end));
		if (line?.type !== "user" || line.isMeta === true) return;
		const title = words(object(line.message).content).trim();
		if (title === "" || title.startsWith("<")) return;
		this.#title = title;
		this.#needsTitle = false;
	}

	#answer(bytes: Buffer, start: number, end: number, offset: number): void {
		const line = end - start > limits.parseBytes ? undefined : parse(bytes.toString("utf8", start, end));
		const message = object(line?.message);
		const at = time(line?.timestamp);
		// Notes of the program itself, such as that a limit is reached, have the model `<synthetic>`.
		if (!line || at === 0 || message.role !== "assistant" || text(message.model).startsWith("<")) return;
		const name = `${text(message.id)} ${text(line.requestId)}`;
		const key = namedKey(name.trim() === "" ? text(line.uuid) : name);
		const calls = list(message.content).flatMap((block) =>
			block.type === "tool_use" ? [text(block.name)] : [],
		);
		if (this.open?.answer.key !== key) this.close();
		const first = this.open;
		const answer = this.#answerOf(line, message, key, at);
		this.open = { answer, offset: first?.offset ?? offset, calls: [...(first?.calls ?? []), ...calls] };
	}

	#answerOf(line: Json, message: Json, key: number, at: number): Answer {
		const usage = object(message.usage);
		const model = text(message.model) || "unknown";
		const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0] = [
			usage.input_tokens,
			usage.output_tokens,
			usage.cache_read_input_tokens,
			usage.cache_creation_input_tokens,
		].map(count);
		const paid = typeof line.costUSD === "number" ? [0, 0, 0, 0, amount(line.costUSD)] : undefined;
		return {
			key,
			at,
			session: {
				id: `claude:${text(line.sessionId) || this.#path}`,
				source: "claude",
				project: text(line.cwd),
				agent: line.isSidechain === true ? "agent" : "",
				...(this.#title === undefined ? {} : { title: this.#title }),
			},
			provider: "anthropic",
			model,
			role: "turn",
			input,
			output,
			cacheRead,
			cacheWrite,
			nanos: paid ?? priceOf("anthropic", model, [input, output, cacheRead, cacheWrite]),
			isEstimate: true,
			durationMs: 0,
			ttftMs: 0,
			failure: line.isApiErrorMessage === true ? "unknown" : "",
			errorText: "",
			entry: "",
		};
	}

	/** The last line of an answer has its final counts. */
	close(): void {
		const { open } = this;
		this.open = undefined;
		if (!open) return;
		const { answer, calls } = open;
		const isFirst = this.#counter.answer(answer);
		const { at, session } = answer;
		this.session = session.id;
		if (!isFirst || at <= this.#after) return;
		this.last = Math.max(this.last, at);
		for (const tool of calls)
			if (tool !== "") this.#counter.tool({ at, session, tool, isError: false, durationMs: 0 });
	}
}
