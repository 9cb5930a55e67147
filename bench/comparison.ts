/** Prints the table of docs/comparison.md: Tau and the other programs in turn, in one run, with a model that answers at once. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { playModel, type Scenario, type Step } from "@tau/ai/testing";

import { root } from "../test/support/launch.ts";
import { Program } from "./program.ts";
import { prose } from "./prose.ts";

/** Nothing that a program draws by itself has it. */
const probe = "zqzq";
const end = "endmark";
const turns = 20;
/** Of each program, after one that fills caches. */
const rounds = Number(process.env.TAU_COMPARISON_ROUNDS ?? 5);
const answerChars = 200_000;
/** `npm install --prefix DIRECTORY/NAME` has brought the programs. */
const [directory = ""] = process.argv.slice(2);

interface Contestant {
	name: string;
	/** The program, from the directory of its package. */
	program: readonly string[];
	interactive: readonly string[];
	print: readonly string[];
	tool: (turn: number) => { name: string; arguments: Record<string, unknown> };
	env: Readonly<Record<string, string>>;
	/** Files of its home. */
	files: (urls: { anthropicUrl: string; openaiUrl: string }, project: string) => Record<string, string>;
}

const model = { id: "played-1", name: "Played", contextWindow: 200_000, maxTokens: 16_384 };
const models = ({ anthropicUrl }: { anthropicUrl: string }): string =>
	JSON.stringify({
		providers: {
			played: { baseUrl: anthropicUrl, api: "anthropic-messages", apiKey: "none", models: [model] },
		},
	});
const bash = (turn: number) => ({ name: "bash", arguments: { command: `echo ${turn}` } });
const bun = process.execPath;
const named = ["--model", "played/played-1"];

const contestants: readonly Contestant[] = [
	{
		name: "Tau",
		program: [process.env.TAU_TEST_PROGRAM ?? join(root, "tau")],
		interactive: named,
		print: ["-p", "go", ...named],
		tool: bash,
		env: { TAU_NO_TITLE: "1" },
		files: (urls) => ({ ".tau/agent/models.yml": models(urls) }),
	},
	{
		name: "pi",
		program: [bun, "@earendil-works/pi-coding-agent/dist/cli.js"],
		interactive: named,
		print: ["-p", "go", ...named],
		tool: bash,
		env: { PI_OFFLINE: "1" },
		files: (urls) => ({ ".pi/agent/models.json": models(urls) }),
	},
	{
		name: "omp",
		program: [bun, "@oh-my-pi/pi-coding-agent/dist/cli.js"],
		interactive: named,
		print: ["-p", "go", ...named],
		tool: bash,
		env: { PI_OFFLINE: "1" },
		files: (urls) => ({
			".omp/agent/models.yml": models(urls),
			".omp/agent/config.yml": "startup:\n  setupWizard: false\n",
		}),
	},
	{
		name: "Claude Code",
		program: ["@anthropic-ai/claude-code/bin/claude.exe"],
		interactive: ["--model", "played-1"],
		print: ["-p", "go", "--model", "played-1", "--allowedTools", "Bash"],
		tool: (turn) => ({ name: "Bash", arguments: { command: `echo ${turn}`, description: "Counts" } }),
		env: {
			ANTHROPIC_AUTH_TOKEN: "none",
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
			DISABLE_AUTOUPDATER: "1",
		},
		files: (_, project) => ({
			".claude.json": JSON.stringify({
				hasCompletedOnboarding: true,
				theme: "dark",
				projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
			}),
		}),
	},
	{
		name: "codex",
		program: ["node", "@openai/codex/bin/codex.js"],
		interactive: [],
		print: ["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "go"],
		tool: (turn) => ({ name: "exec_command", arguments: { cmd: `echo ${turn}` } }),
		env: { PLAYED_KEY: "none" },
		files: ({ openaiUrl }, project) => ({
			".codex/config.toml": [
				'model = "played-1"',
				'model_provider = "played"',
				"check_for_update_on_startup = false",
				"[model_providers.played]",
				'name = "Played"',
				`base_url = "${openaiUrl}"`,
				'env_key = "PLAYED_KEY"',
				'wire_api = "responses"',
				`[projects."${project}"]`,
				'trust_level = "trusted"',
			].join("\n"),
		}),
	},
];

/** Where a package is, if it is there. */
function pathOf(word: string): string {
	const paths = ["pi", "omp", "claude", "codex"].map((name) => join(directory, name, "node_modules", word));
	return paths.find((path) => existsSync(path)) ?? word;
}

type Surroundings = {
	command: (words: readonly string[]) => string[];
	cwd: string;
	env: Record<string, string>;
};

async function inHome<Result>(
	{ files, program, env }: Contestant,
	scenario: Scenario,
	work: (place: Surroundings, played: Awaited<ReturnType<typeof playModel>>) => Promise<Result>,
): Promise<Result> {
	await using played = await playModel(scenario);
	const home = mkdtempSync(join(tmpdir(), "tau-compared-"));
	const project = join(home, "project");
	mkdirSync(project);
	for (const [path, text] of Object.entries(files(played, project))) {
		mkdirSync(dirname(join(home, path)), { recursive: true });
		writeFileSync(join(home, path), text);
	}
	const place = {
		command: (words: readonly string[]) => [...program.map(pathOf), ...words],
		cwd: project,
		env: { ...env, HOME: home, ANTHROPIC_BASE_URL: played.anthropicUrl },
	};
	try {
		return await work(place, played);
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

async function printed(contestant: Contestant, scenario: Scenario): Promise<{ ms: number; tokens: number }> {
	return await inHome(contestant, scenario, async ({ command, cwd, env }, played) => {
		const started = performance.now();
		const child = Bun.spawn(command(contestant.print), {
			cwd,
			env: { ...process.env, ...env },
			stdin: "ignore",
			stdout: "pipe",
			stderr: "pipe",
		});
		const [code, out, errors] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
		const ms = performance.now() - started;
		if (code !== 0) throw new Error(`${contestant.name} ended with ${code}: ${(errors || out).slice(-300)}`);
		const main = played.requests.find(({ rawBody }) => rawBody.includes('"tools":[{'));
		return { ms, tokens: (main?.rawBody.length ?? Number.NaN) / 4 };
	});
}

function toolTurns({ tool }: Contestant): Scenario {
	const when = { bodyContains: '"tools":[{' };
	const step = (_: unknown, turn: number): Step => ({
		when,
		answer: { blocks: [{ toolCall: tool(turn) }] },
	});
	return { steps: Array.from({ length: turns }, step), fallback: "done" };
}

async function launched(contestant: Contestant): Promise<number> {
	return await inHome(contestant, { steps: [], fallback: "hi" }, async ({ command, ...place }) => {
		const started = performance.now();
		await using program = new Program({ ...place, command: command(contestant.interactive) });
		await program.untilTyped(probe);
		return performance.now() - started;
	});
}

async function streamed(contestant: Contestant): Promise<{ cpuMs: number; keyMs: number; MB: number }> {
	const answer = (chunks: number, delayMs?: number): Scenario => ({
		steps: [
			{
				when: { bodyContains: '"tools":[{' },
				times: "always",
				answer: {
					blocks: [{ text: `${prose(answerChars)}\n\n${end}`, chunks }],
					...(delayMs ? { delayMs } : {}),
				},
			},
		],
		fallback: "hi",
	});
	const open = async <Result>(scenario: Scenario, work: (program: Program) => Promise<Result>) =>
		await inHome(contestant, scenario, async ({ command, ...place }) => {
			await using program = new Program({ ...place, command: command(contestant.interactive) });
			await program.untilTyped(probe);
			await Bun.sleep(3000);
			return await work(program);
		});
	const { MB, cpuMs } = await open(answer(4000), async (program) => {
		const [atRest, cpu] = [program.treeMB(), program.cpuMs()];
		await program.send("\x15go");
		await program.until(end);
		await Bun.sleep(100);
		return { MB: atRest, cpuMs: program.cpuMs() - cpu };
	});
	const keyMs = await open(answer(4000, 2), async (program) => {
		await program.send("\x15go");
		await program.until("heading");
		return await program.keyMs();
	});
	return { MB, cpuMs, keyMs };
}

const oneAnswer = "one answer in a script (-p), ms";
const withTools = "own time for a turn with a tool, ms";
const wanted = process.argv[3]?.split(",") ?? ["quick", "stream"];
const figures = new Map(contestants.map(({ name }) => [name, new Map<string, number[]>()]));
const note = (name: string, what: string, value: number): void => {
	const of = figures.get(name);
	of?.set(what, [...(of.get(what) ?? []), value]);
};

/** All, or those that are named. */
const only = process.argv[4]?.split(",");
const failed = new Set<string>();
for (let round = -1; round < rounds; round++) {
	if (round > 0 && wanted.includes("quick")) printTable();
	for (const contestant of contestants) {
		const { name } = contestant;
		if (failed.has(name) || only?.includes(name) === false) continue;
		try {
			if (wanted.includes("quick")) {
				const [launchMs, one, many] = [
					await launched(contestant),
					await printed(contestant, { steps: [], fallback: "done" }),
					await printed(contestant, toolTurns(contestant)),
				];
				if (round < 0) continue;
				note(name, "launch to a prompt that takes keys, ms", launchMs);
				note(name, oneAnswer, one.ms);
				note(name, withTools, many.ms);
				note(name, "first request, a quarter of its characters", one.tokens);
			}
			if (wanted.includes("stream") && round === 0) {
				const { cpuMs, keyMs, MB } = await streamed(contestant);
				note(name, "CPU for 200 KB of Markdown on the screen, ms", cpuMs);
				note(name, "a key while an answer streams, ms", keyMs);
				note(name, "memory of an idle session, its processes included, MB", MB);
			}
		} catch (error) {
			failed.add(name);
			process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
		}
	}
}

printTable();

/** The best of each: a busy machine only adds to it. */
function best(name: string, row: string): number {
	return Math.min(...(figures.get(name)?.get(row) ?? []));
}

function printTable(): void {
	process.stdout.write(`| | ${contestants.map(({ name }) => name).join(" | ")} |\n`);
	for (const row of figures.get("Tau")?.keys() ?? []) {
		const cells = contestants.map(({ name }) => {
			const value = row === withTools ? (best(name, row) - best(name, oneAnswer)) / turns : best(name, row);
			return Number.isFinite(value) ? value.toFixed(1) : "";
		});
		process.stdout.write(`| ${row} | ${cells.join(" | ")} |\n`);
	}
}
