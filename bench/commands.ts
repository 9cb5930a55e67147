/** How long a shell command is judged before it runs: the first one of a process, ordinary ones, and hostile ones. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { commandFacts } from "@tau/sys/commands";

import { median } from "./program.ts";
import type { Row } from "./report.ts";

const place = { cwd: "/home/u/project", home: "/home/u" };
const rounds = 200;

const simple = "git status --short";
const ordinary = [
	"cd packages/sys && bun test src/commands 2>&1 | tail -40",
	"git log --oneline -20 | grep -i fix | wc -l",
	"find . -name '*.ts' -not -path '*/node_modules/*' -print0 | xargs -0 grep -n 'TODO' | head -50",
	'for f in src/*.ts; do echo "== $f"; sed -n \'1,5p\' "$f"; done',
	'mkdir -p dist/{bin,lib} && cp -r src/* dist/lib && echo "$(date +%s)" > dist/stamp',
];

export async function commandJudging(): Promise<Row[]> {
	const heredoc = `cat > src/big.ts <<'EOF'\n${"export const line = 'some text of a file';\n".repeat(1500)}EOF`;
	return [
		{
			name: "the first command of a process, with the load of the judge",
			value: await firstCommand(),
			unit: "ms of CPU",
			budget: 30,
		},
		row("a simple command", 1000, () => commandFacts(simple, place)),
		row(
			"an ordinary command, mean of five",
			1000,
			() => ordinary.forEach((command) => commandFacts(command, place)),
			ordinary.length,
		),
		row("a heredoc of 60 KB", 20_000, () => commandFacts(heredoc, place), 1, 15),
		row("64 KB of nested parentheses", 600_000, () => commandFacts("((".repeat(32 * 1024), place), 1, 5),
	];
}

function row(name: string, budget: number, judge: () => unknown, commands = 1, times = rounds): Row {
	const samples = Array.from({ length: times }, () => {
		const started = performance.now();
		judge();
		return ((performance.now() - started) * 1000) / commands;
	});
	return { name, value: median(samples), unit: "µs", budget };
}

/** In a process of its own, from a bundle, as in a compiled Tau but without its bytecode. */
async function firstCommand(): Promise<number> {
	const folder = await mkdtemp(join(tmpdir(), "tau-bench-"));
	const entry = join(import.meta.dir, "..", "packages", "sys", "src", "commands", "index.ts");
	await Bun.build({ entrypoints: [entry], target: "bun", outdir: folder });
	const script = `const before = process.cpuUsage(); const { commandFacts } = await import("./index.js");
		commandFacts(${JSON.stringify(simple)}, ${JSON.stringify(place)}); const { user, system } = process.cpuUsage(before);
		process.stdout.write(String((user + system) / 1000));`;
	const samples = Array.from({ length: 9 }, () => {
		const child = Bun.spawnSync([process.execPath, "-e", script], { cwd: folder });
		return Number(child.stdout.toString());
	});
	await rm(folder, { recursive: true, force: true });
	return median(samples);
}
