/** Makes the pictures of the README from real frames: the real program, a small project, the demo model. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Terminal } from "@xterm/headless";

import { svgOf, type Appearance } from "./svg.ts";

const root = join(import.meta.dir, "../..");
const [columns, rows] = [96, 30];

interface Scene {
	file: string;
	title: string;
	appearance: Appearance;
	/** What is typed, and what has to be on the screen before the next. */
	keys: readonly (readonly [typed: string, shown: RegExp])[];
}

const scenes: readonly Scene[] = [
	{
		file: "prompt.svg",
		title: "Tau answers a prompt: condensed tool lines, Markdown, context and cost in the footer",
		appearance: "dark",
		keys: [["what is in this project\r", /Written by[\s\S]*%/]],
	},
	{
		file: "edit.svg",
		title: "Tau changes a file and shows the difference",
		appearance: "dark",
		keys: [
			[
				'call edit {"path":"src/greet.ts","edits":[{"oldText":"Hello","newText":"Good morning"}]}\r',
				/Written by[\s\S]*%/,
			],
		],
	},
	{
		file: "commands.svg",
		title: "Slash commands are completed as you type, here in a light terminal",
		appearance: "light",
		keys: [
			["stream 12 lines\r", /%/],
			["/", /help/],
		],
	},
];

/** The same project every time, so that a picture changes only when the program does. */
function makeProject(home: string): string {
	const project = join(home, "greeter");
	mkdirSync(join(project, "src"), { recursive: true });
	writeFileSync(join(project, "README.md"), "# greeter\n\nSays hello to people, politely.\n");
	writeFileSync(join(project, "package.json"), '{ "name": "greeter", "scripts": { "test": "bun test" } }\n');
	writeFileSync(
		join(project, "src/greet.ts"),
		"export function greet(name: string): string {\n\treturn `Hello, ${name}!`;\n}\n",
	);
	return project;
}

async function take(scene: Scene): Promise<string> {
	const home = mkdtempSync(join(tmpdir(), "tau-pictures-"));
	try {
		const project = makeProject(home);
		mkdirSync(join(home, ".tau/agent"), { recursive: true });
		writeFileSync(join(home, ".tau/agent/config.yml"), `theme: ${scene.appearance}\nui:\n  motion: "off"\n`);
		const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, logLevel: "off" });
		const decoder = new TextDecoder();
		let changed = Promise.withResolvers<void>();
		await using child = Bun.spawn([join(root, "tau"), "--model", "tau/demo"], {
			cwd: project,
			env: {
				PATH: process.env.PATH ?? "",
				HOME: home,
				TERM: "xterm-256color",
				COLORTERM: "truecolor",
				LANG: "C.UTF-8",
			},
			terminal: {
				cols: columns,
				rows,
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
			while (!shown.test(screenOf(terminal))) await changed.promise;
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
for (const scene of scenes) {
	await Bun.write(join(directory, scene.file), await take(scene));
	process.stdout.write(`docs/pictures/${scene.file}\n`);
}
