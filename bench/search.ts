/** How long `grep` and `find` take over 50,000 files, beside ripgrep itself in the same run. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { times, type Row } from "./report.ts";

const packages = 50;
const foldersEach = 20;
const filesEach = 50;
const rounds = 9;
const sys = join(import.meta.dir, "../packages/sys");

/** Milliseconds of the middle round. */
interface Measured {
	grep: number;
	rg: number;
	find: number;
	rgFiles: number;
	fuzzy: number;
}

export async function searching(): Promise<Row[]> {
	const root = mkdtempSync(join(tmpdir(), "tau-bench-search-"));
	try {
		plant(root);
		const { grep, rg, find, rgFiles, fuzzy } = await measured(root);
		const ms = (value: number): string => `${value.toFixed(0)} ms`;
		return [
			{ name: "grep, 50,000 files", value: grep / rg, unit: "x rg", budget: 1.2, beside: ms(grep) },
			{ name: "find, 50,000 files", value: find / rgFiles, unit: "x rg", budget: 1.2, beside: ms(find) },
			{
				name: "fuzzy, 50,000 paths",
				value: fuzzy,
				unit: "ms",
				budget: 25,
				beside: times(fuzzy, rgFiles, "rg"),
			},
		];
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

/** In turns, so that a busy machine is busy for all; the first round fills caches and is thrown away. */
async function measured(root: string): Promise<Measured> {
	const code = `
		import { rgPath } from "@vscode/ripgrep";
		import { fuzzyPaths, glob, search } from ${JSON.stringify(join(sys, "src/index.ts"))};
		const root = ${JSON.stringify(root)};
		const all = await glob({ root, pattern: "**", hidden: true });
		const paths = all.entries.map(({ path }) => path);
		const expect = (found, wanted) => {
			if (found < wanted) throw new Error("only " + found + " of " + wanted + " were found");
		};
		const run = async (...args) => {
			const command = [rgPath, "--no-config", "--hidden", "--glob=!.git", ...args, "."];
			const child = Bun.spawn(command, { cwd: root, stdin: "ignore", stdout: "pipe", stderr: "ignore" });
			await child.stdout.bytes();
			expect(-(await child.exited), 0);
		};
		const works = {
			grep: async () => expect((await search({ pattern: "needle", paths: ["."], cwd: root }, () => {})).matches, 50),
			rg: () => run("needle"),
			find: async () => expect((await glob({ root, pattern: "*.ts", hidden: true })).entries.length, 6000),
			rgFiles: () => run("--files"),
			// A copy: what is kept of a list must not help the next round.
			fuzzy: async () => expect(fuzzyPaths("pkg7 lib file", [...paths], 20).length, 20),
		};
		const samples = {};
		for (let round = -1; round < ${rounds}; round++) {
			for (const [name, work] of Object.entries(works)) {
				const started = performance.now();
				await work();
				if (round >= 0) (samples[name] ??= []).push(performance.now() - started);
			}
		}
		const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
		const result = Object.entries(samples).map(([name, values]) => [name, middle(values)]);
		process.stdout.write(JSON.stringify(Object.fromEntries(result)));
	`;
	const child = Bun.spawn([process.execPath, "-e", code], { cwd: sys, stdout: "pipe", stderr: "inherit" });
	return JSON.parse(await child.stdout.text());
}

function plant(root: string): void {
	const endings = ["ts", "tsx", "js", "json", "md", "css", "py", "rs"];
	mkdirSync(join(root, ".git"));
	writeFileSync(
		join(root, ".gitignore"),
		"node_modules/\n*.log\ndist/\n/build\n*.pyc\n.env\ncoverage/\n*.tmp\n",
	);
	const body = "export const value = compute(one, two, three); // some text here\n".repeat(40);
	let count = 0;
	for (let one = 0; one < packages; one++) {
		for (let two = 0; two < foldersEach; two++) {
			const folder = join(root, `pkg${one}/src${two}/lib`);
			mkdirSync(folder, { recursive: true });
			for (let file = 0; file < filesEach; file++) {
				const ending = endings[(one + two + file) % endings.length];
				writeFileSync(
					join(folder, `file${file}.${ending}`),
					count++ % 1000 === 0 ? `${body}the needle\n` : body,
				);
			}
		}
	}
}
