/** How long a key waits for the one thread while something hostile comes in: a burst of code, a flood, a long line. */
import { ourselves } from "./contender.ts";
import { ModelProcess } from "./latency-model.ts";
import { median, Program } from "./program.ts";
import type { Row } from "./report.ts";

const rounds = 3;
/** Longer than this, a user notices the delay of a key. */
const budget = 100;
const probesMs = 2000;
const codeLines = 50_000;
const floodLines = 200_000;
const lineChars = 40_000;

export async function latency(): Promise<Row[]> {
	const bursts: number[] = [];
	const floods: number[] = [];
	const escapes: number[] = [];
	const [long, half]: number[][] = [[], []];
	for (let round = 0; round < rounds; round++) {
		bursts.push(await burst());
		floods.push(await flood((program) => program.slowestKeyMs()));
		escapes.push(await flood(escape));
		long?.push(await typing(lineChars));
		half?.push(await typing(lineChars / 2));
	}
	const ratio = median(long ?? []) / median(half ?? []);
	return [
		{
			name: "slowest key while 50,000 lines of code come at once",
			value: median(bursts),
			unit: "ms",
			budget,
		},
		{ name: "slowest key during an answer at full speed", value: median(floods), unit: "ms", budget },
		{
			name: "Escape to the end of the request, during an answer at full speed",
			value: median(escapes),
			unit: "ms",
			budget,
		},
		{
			name: "a line of 40,000 characters, typed without paste brackets",
			value: median(long ?? []),
			unit: "ms",
			budget: 1000,
			beside: `${ratio.toFixed(1)}x one of half the length`,
		},
	];
}

async function burst(): Promise<number> {
	const code = Array.from(
		{ length: codeLines },
		(_, at) => `\tlet name${at} = compute(${at}); // note ${at}`,
	);
	return opened(`\`\`\`ts\n${code.join("\n")}\n\`\`\``, 40, async (program) => {
		await program.send("go");
		await program.until("name9");
		return await program.slowestKeyMs();
	});
}

type Measure = (program: Program, model: ModelProcess) => Promise<number>;

async function flood(measure: Measure): Promise<number> {
	const lines = Array.from({ length: floodLines }, (_, at) => `Line ${at} of an answer without end.`);
	return opened(lines.join("\n\n"), floodLines, async (program, model) => {
		await program.send("go");
		await program.until("Line 9");
		return await measure(program, model);
	});
}

/** Until the model's server is disconnected: the session has aborted the request then. */
async function escape(program: Program, model: ModelProcess): Promise<number> {
	const typedAt = performance.timeOrigin + performance.now();
	program.type("\x1b");
	return (await model.endedAt) - typedAt;
}

async function typing(chars: number): Promise<number> {
	return opened("hi", 1, async (program) => {
		program.forget();
		const started = performance.now();
		program.type(`${"letters ".repeat(chars / 8)}Ω`);
		await program.until("Ω");
		return performance.now() - started;
	});
}

async function opened(text: string, chunks: number, measure: Measure): Promise<number> {
	await using model = new ModelProcess({ steps: [], fallback: { answer: { blocks: [{ text, chunks }] } } });
	using place = ourselves.start(await model.server);
	await using program = new Program(place);
	await program.untilTyped("zqzq");
	program.type("\x15");
	// This terminal answers no questions; until Tau stops waiting for answers, Escape might be the start of one.
	await Bun.sleep(probesMs);
	return await measure(program, model);
}
