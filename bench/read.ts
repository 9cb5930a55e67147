/** What it costs to read one line far down in a file of a million lines: time beside `sed`, and memory. */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { times, type Row } from "./report.ts";

const lines = 1_000_000;
const wanted = 900_000;
const rounds = 5;
const source = join(import.meta.dir, "..");

interface Measured {
	ms: number;
	/** Beyond what the process had before its first read. */
	grownMB: number;
}

export async function reading(): Promise<Row[]> {
	const folder = mkdtempSync(join(tmpdir(), "tau-bench-read-"));
	try {
		const path = join(folder, "long.txt");
		const bytes = plant(path);
		const samples: (Measured & { sedMs: number })[] = [];
		for (let round = 0; round < rounds; round++)
			samples.push({ ...(await once(path)), sedMs: await sed(path) });
		const middle = (key: keyof (typeof samples)[number]): number =>
			samples.map((sample) => sample[key]).toSorted((a, b) => a - b)[rounds >> 1] ?? Number.NaN;
		const size = `${Math.round(bytes / 1e6)} MB`;
		return [
			{
				name: `line ${wanted.toLocaleString("en")} of 1,000,000`,
				value: middle("ms"),
				unit: "ms",
				budget: 200,
				beside: times(middle("ms"), middle("sedMs"), "sed"),
			},
			{
				name: "the same, extra memory",
				value: middle("grownMB"),
				unit: "MB",
				budget: 16,
				beside: `of ${size}`,
			},
		];
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function once(path: string): Promise<Measured> {
	const code = `
		import { callTool, testToolEnv, textOf } from ${JSON.stringify(join(source, "test/support/tool-env.ts"))};
		import { read } from ${JSON.stringify(join(source, "packages/tools/src/read/tool.ts"))};
		import { readFileSync, writeFileSync } from "node:fs";
		const peak = () => Number(/VmHWM:\\s+(\\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
		await using place = await testToolEnv();
		const tool = read.bind(place);
		// What is loaded and compiled for any read is not the cost of this one.
		writeFileSync(place.resolve("warm"), "x\\n".repeat(1000));
		await callTool(tool, { path: "warm" });
		const before = peak();
		const started = performance.now();
		const result = await callTool(tool, { path: ${JSON.stringify(path)}, offset: ${wanted}, limit: 1 });
		const ms = performance.now() - started;
		if (!textOf(result).startsWith("${wanted}  line ${wanted} ")) throw new Error(textOf(result).slice(0, 200));
		process.stdout.write(JSON.stringify({ ms, grownMB: peak() - before }));
	`;
	const child = Bun.spawn([process.execPath, "-e", code], { cwd: source, stdout: "pipe", stderr: "inherit" });
	return JSON.parse(await child.stdout.text());
}

async function sed(path: string): Promise<number> {
	const started = performance.now();
	const child = Bun.spawn(["sed", "-n", `${wanted}p`, path], { stdout: "pipe" });
	await child.stdout.bytes();
	if ((await child.exited) !== 0) throw new Error("sed failed");
	return performance.now() - started;
}

function plant(path: string): number {
	const file = openSync(path, "w");
	let bytes = 0;
	try {
		for (let first = 1; first <= lines; first += 1000) {
			const some = Array.from(
				{ length: 1000 },
				(_, index) => `line ${first + index} of a file that is long enough\n`,
			);
			bytes += writeSync(file, some.join(""));
		}
	} finally {
		closeSync(file);
	}
	return bytes;
}
