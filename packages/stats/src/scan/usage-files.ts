/** Reads the usage lines that Tau's sessions write (docs/session-format.md). */
import { answerKey, type Counter, type SessionFacts } from "../event.ts";
import { nanosPerDollar } from "../lines/usage-line.ts";
import { limits } from "../limits.ts";
import { readLines } from "./read-lines.ts";
import type { ScanFile, Scanned } from "./scanner.ts";
import { count, parse, text, time, type Json } from "./values.ts";

export function scanUsage({ file, from, size, last }: ScanFile, counter: Counter): Scanned {
	let newest = last;
	const offset = readLines(file, from, size, (bytes, start, end) => {
		if (end - start > limits.longTailBytes) return;
		const line = parse(bytes.toString("utf8", start, end));
		const at = time(line?.at);
		const id = text(line?.session);
		if (!line || at === 0 || id === "") return;
		const session: SessionFacts = { id, source: "tau", project: text(line.cwd), agent: text(line.agent) };
		const tool = text(line.tool);
		if (tool === "") return answered(line, at, session, counter);
		if (at <= last) return;
		newest = Math.max(newest, at);
		counter.tool({ at, session, tool, isError: line.error === 1, durationMs: count(line.ms) });
	});
	return { offset, last: newest };
}

function answered(line: Json, at: number, session: SessionFacts, counter: Counter): void {
	const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0] = numbers(line.tokens).map(count);
	const model = text(line.model);
	if (model === "") return;
	counter.lines(session, at);
	counter.answer({
		key: answerKey(at, [input, output, cacheRead, cacheWrite]),
		at,
		session,
		provider: text(line.provider),
		model,
		role: text(line.kind) || "turn",
		input,
		output,
		cacheRead,
		cacheWrite,
		nanos: Array.isArray(line.nanos) ? numbers(line.nanos) : undefined,
		isEstimate: line.sub === 1,
		durationMs: count(line.ms),
		ttftMs: count(line.ttft),
		failure: text(line.failure),
		errorText: "",
		entry: "",
	});
}

function numbers(value: unknown): number[] {
	const most = limits.dollars * nanosPerDollar;
	const isNumber = (each: unknown): boolean => Number.isSafeInteger(each) && Math.abs(Number(each)) <= most;
	return Array.isArray(value) ? value.map((each) => (isNumber(each) ? Number(each) : 0)) : [];
}
