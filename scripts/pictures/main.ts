/** Makes the pictures of the README and of docs/context.md from real frames, all or those named: the real program at work in a small project, with a played model. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, playModel } from "@tau/ai/testing";
import { Terminal } from "@xterm/headless";

import { makeProject, prompt, scenario } from "./project.ts";
import { svgOf, type Appearance } from "./svg.ts";

const root = join(import.meta.dir, "../..");
const columns = 92;
/** A scene that never shows what it waits for is a mistake in this file, or in Tau. */
const patienceMs = 30_000;

interface Scene {
	file: string;
	title: string;
	appearance: Appearance;
	rows: number;
	/** What is typed, and what has to be on the screen before the next. */
	keys: readonly (readonly [typed: string, shown: RegExp])[];
}

const ended = /All four tests pass[\s\S]*\$/;

const scenes: readonly Scene[] = [
	{
		file: "session.svg",
		title: "Tau mends a failing test: the failure, the change as a diff, the tests again, a summary",
		appearance: "dark",
		rows: 44,
		keys: [[`${prompt}\r`, ended]],
	},
	{
		file: "session-light.svg",
		title: "The same session in a light terminal",
		appearance: "light",
		rows: 44,
		keys: [[`${prompt}\r`, ended]],
	},
	{
		file: "context.svg",
		title: "/context lists what fills the context, by source, with the items that can be dropped",
		appearance: "dark",
		rows: 30,
		keys: [
			[`${prompt}\r`, ended],
			["/context\r", /── Context:/],
			["\x1b[B\x1b[B\x1b[B\x1b[B\x1b[B\x1b[B", /❯\s+read test\/cart[\s\S]*enter inspect/],
		],
	},
	{
		file: "commands.svg",
		title: "Slash commands are completed as you type",
		appearance: "dark",
		rows: 22,
		keys: [["/", /❯ \S+ .*\n.*\n/]],
	},
	{
		file: "commands-light.svg",
		title: "Slash commands are completed as you type, in a light terminal",
		appearance: "light",
		rows: 22,
		keys: [["/", /❯ \S+ .*\n.*\n/]],
	},
];

async function take(scene: Scene): Promise<string> {
	const home = mkdtempSync(join(tmpdir(), "tau-pictures-"));
	try {
		const project = join(home, "shop");
		makeProject(project);
		await using played = await playModel(scenario);
		const agentDir = join(home, ".tau/agent");
		mkdirSync(agentDir, { recursive: true });
		writeFileSync(join(agentDir, "models.yml"), modelsYml(played, { api: "anthropic-messages" }));
		writeFileSync(join(agentDir, "config.yml"), `theme: ${scene.appearance}\nui:\n  motion: "off"\n`);
		const terminal = new Terminal({
			cols: columns,
			rows: scene.rows,
			allowProposedApi: true,
			logLevel: "off",
		});
		const decoder = new TextDecoder();
		let changed = Promise.withResolvers<void>();
		await using child = Bun.spawn([join(root, "tau"), "--model", "played/played-1"], {
			cwd: project,
			env: {
				PATH: process.env.PATH ?? "",
				HOME: home,
				TERM: "xterm-256color",
				COLORTERM: "truecolor",
				LANG: "C.UTF-8",
				TAU_NO_TITLE: "1",
			},
			terminal: {
				cols: columns,
				rows: scene.rows,
				data(_, chunk) {
					terminal.write(decoder.decode(chunk, { stream: true }), () => {
						changed.resolve();
						changed = Promise.withResolvers<void>();
					});
				},
			},
		});
		terminal.onData((reply) => void child.terminal?.write(reply));
		const until = async (shown: RegExp): Promise<void> => {
			const deadline = AbortSignal.timeout(patienceMs);
			while (!shown.test(screenOf(terminal))) {
				const late = Promise.withResolvers<void>();
				deadline.addEventListener("abort", () => late.resolve(), { once: true });
				await Promise.race([changed.promise, late.promise]);
				if (deadline.aborted)
					throw new Error(`${scene.file}: ${shown} was not shown:\n${screenOf(terminal)}`);
			}
		};
		await until(/%/);
		for (const [typed, shown] of scene.keys) {
			child.terminal?.write(typed);
			await until(shown);
		}
		const picture = svgOf(terminal, scene.appearance, scene.title).replaceAll(home, "~");
		child.kill();
		return picture;
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

function screenOf(terminal: Terminal): string {
	const { active } = terminal.buffer;
	return Array.from(
		{ length: terminal.rows },
		(_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? "",
	).join("\n");
}

const directory = join(root, "docs/pictures");
mkdirSync(directory, { recursive: true });
const wanted = process.argv.slice(2);
for (const scene of scenes.filter(({ file }) => wanted.length === 0 || wanted.includes(file))) {
	await Bun.write(join(directory, scene.file), await take(scene));
	process.stdout.write(`docs/pictures/${scene.file}\n`);
}
