/** What a frame costs, however long the conversation is; how fast a key is on its way; how soon the first frame is. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { times, type Row } from "./report.ts";
import type { Measured } from "./tui-frame-run.ts";

const rounds = 5;

export async function tuiFrame(): Promise<Row[]> {
	const folder = mkdtempSync(join(tmpdir(), "tau-bench-tui-"));
	try {
		const program = await compile(folder);
		const samples: Measured[] = [];
		// The first run fills the disk's cache, and is thrown away.
		for (let round = -1; round < rounds; round++) {
			const sample = await once(program);
			if (round >= 0) samples.push(sample);
		}
		return rowsOf((key) => {
			const sorted = samples.map((sample) => sample[key]).toSorted((a, b) => a - b);
			return sorted[Math.floor(rounds / 2)] ?? Number.NaN;
		});
	} finally {
		rmSync(folder, { recursive: true });
	}
}

function rowsOf(middle: (key: keyof Measured) => number): Row[] {
	const [short, long] = [middle("shortUs"), middle("longUs")];
	return [
		{
			name: "a frame at 100,000 rows, against one at 100",
			value: long / short,
			unit: "times",
			budget: 1.3,
			beside: `${long.toFixed(1)} µs and ${short.toFixed(1)} µs`,
		},
		{
			name: "key to the bytes that show it, 99 of 100, while an answer streams",
			value: middle("keyMs"),
			unit: "ms",
			budget: 3,
		},
		{
			name: "first frame, from before the import",
			value: middle("firstMs"),
			unit: "ms",
			budget: 15,
			beside: `${middle("importMs").toFixed(1)} ms of it the import`,
		},
		{
			name: "200 KB of text in 4,000 deltas, a frame each",
			value: middle("streamMs"),
			unit: "ms CPU",
			budget: 500,
			beside: times(middle("streamMs"), middle("halfStreamMs"), "half of it"),
		},
		{ name: "the same, to the terminal", value: middle("streamKB"), unit: "KB", budget: 450 },
	];
}

/** As it ships: in one file, with its bytecode. */
async function compile(folder: string): Promise<string> {
	const program = join(folder, "run");
	const source = join(import.meta.dir, "tui-frame-run.ts");
	const command = [
		process.execPath,
		"build",
		"--compile",
		"--bytecode",
		"--format=esm",
		source,
		"--outfile",
		program,
	];
	const { success, stderr } = Bun.spawnSync(command);
	if (!success) throw new Error(`the bench does not compile: ${stderr.toString()}`);
	return program;
}

/** A process of its own each time: what is warm in one must not help the next. */
async function once(program: string): Promise<Measured> {
	const child = Bun.spawn([program], { stdout: "pipe", stderr: "inherit" });
	return JSON.parse(await Bun.readableStreamToText(child.stdout));
}
