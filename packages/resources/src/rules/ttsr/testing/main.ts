/** Reads one long answer with 200 rules, for the benchmark: by our matcher, or with BENCH_ENGINE by the engine alone. */
import { StreamRules } from "../stream-rules.ts";
import { StreamWatch } from "../stream-watch.ts";
import { samples, type Sample } from "./samples.ts";

const answerChars = 200_000;
const deltas = 4000;
const rules = 200;
/** The window of the engine when it is used alone. */
const windowChars = 2048;

function read(pieces: readonly string[], push: (piece: string) => void): number {
	const started = performance.now();
	for (const piece of pieces) push(piece);
	return performance.now() - started;
}

function byMatcher(conditions: readonly string[], pieces: readonly string[]): number {
	const found = conditions.map((condition, n) => ({
		name: `rule-${n}`,
		path: `rule-${n}.md`,
		level: "user" as const,
		content: "x",
		condition: [condition],
	}));
	const { conditions: compiled } = new StreamRules(found, "/");
	const watch = new StreamWatch(compiled, () => true);
	return read(pieces, (piece) => watch.push(piece));
}

/** The simplest implementation: each expression is matched against each line, at its end. */
function byEngine(conditions: readonly string[], pieces: readonly string[]): number {
	const all = conditions.map((text) => {
		const [, flags = "", source = ""] = /^(?:\(\?([imsu]+)\))?(.*)$/s.exec(text) ?? [];
		return new RegExp(source, `${flags}m`);
	});
	let [line, met] = ["", 0];
	return read(pieces, (piece) => {
		line += piece;
		const end = line.lastIndexOf("\n") + 1;
		if (end === 0 && line.length < windowChars) return;
		const text = end === 0 ? line : line.slice(0, end);
		for (const expression of all) if (expression.test(text)) met++;
		line = line.slice(end === 0 ? line.length / 2 : end);
	});
}

function measure({ shapes, text }: Sample) {
	const conditions = Array.from({ length: rules }, (_, n) => shapes[n % shapes.length]?.(n) ?? "");
	const whole = text.repeat(Math.ceil(answerChars / text.length));
	const size = answerChars / deltas;
	const pieces = Array.from({ length: deltas }, (_, at) => whole.slice(at * size, (at + 1) * size));
	// Each in its own process: the second measurement would find the engine warm.
	const isEngine = process.env["BENCH_ENGINE"] !== undefined;
	return { conditions, ms: (isEngine ? byEngine : byMatcher)(conditions, pieces) };
}

const sample = samples[process.env["BENCH_SAMPLE"] ?? "rare"];
if (!sample) throw new Error("There is no such sample.");
process.stdout.write(JSON.stringify({ ...measure(sample), answerChars, deltas }));
