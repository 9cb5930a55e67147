/** Makes the pictures of the README and the docs from real frames, all or those named; `views`: a sheet of each main view, `web`: the page, `demo`: a recording. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { take, type Scene } from "./capture.ts";
import { prompt, scenario } from "./project.ts";
import { tour, type TourScene } from "./tour.ts";

const root = join(import.meta.dir, "../..");

const ended = /All four tests pass[\s\S]*\$/;

const session = { rows: 44, keys: [[`${prompt}\r`, ended]] } as const;
const commands = { rows: 22, keys: [["/", /❯ \S+ .*\n.*\n/]] } as const;

const scenes: readonly (TourScene & Pick<Scene, "appearance">)[] = [
	...tour.map((scene) => ({ ...scene, appearance: "dark" as const })),
	{
		file: "session.svg",
		title: "Tau mends a failing test: the failure, the change as a diff, the tests again, a summary",
		appearance: "dark",
		...session,
	},
	{
		file: "session-light.svg",
		title: "The same session in a light terminal",
		appearance: "light",
		...session,
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
		...commands,
	},
	{
		file: "commands-light.svg",
		title: "Slash commands are completed as you type, in a light terminal",
		appearance: "light",
		...commands,
	},
];

// A scene that waits for its first frame has no time for a build.
await Bun.spawn([join(root, "tau"), "--version"], { stdin: "ignore", stdout: "ignore", stderr: "inherit" })
	.exited;

const [what, ...names] = process.argv.slice(2);
if (what === "views") {
	const { drawSheets } = await import("./views.ts");
	await drawSheets(names);
} else if (what === "demo") {
	const { recordDemo } = await import("./demo.ts");
	await recordDemo();
} else if (what === "web") {
	const { photograph } = await import("./web.ts");
	await photograph(names);
} else {
	const directory = join(root, "docs/pictures");
	mkdirSync(directory, { recursive: true });
	const wanted = process.argv.slice(2);
	for (const { file, ...scene } of scenes.filter((one) => wanted.length === 0 || wanted.includes(one.file))) {
		await Bun.write(join(directory, file), await take({ scenario, ...scene, columns: 92 }));
		process.stdout.write(`docs/pictures/${file}\n`);
	}
}
