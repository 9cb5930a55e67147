/** Cells at the real program: their code is shown above what they print, and what they change is rewound. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";
import { openTau } from "./driver.ts";

test("a cell is shown with its code and its output", async () => {
	const code = "import math\nradius = 2\nround(math.pi * radius ** 2)";
	const call = { toolCall: { name: "eval", arguments: { language: "python", code } } };
	await using tau = await openTau({ steps: [{ answer: { blocks: [call] } }, "Thirteen."] });
	await tau.until("played-1");
	tau.type("area?\r");
	await tau.until("Thirteen.");
	expect(tau.screen()).toContain("eval python: import math");
	expect(tau.screen()).not.toContain("radius = 2");
	tau.press("ctrlO");
	await tau.until("radius = 2");
	expect(tau.screen()).toMatch(/import math\s+radius = 2\s+round\(math\.pi \* radius \*\* 2\)\s+13/);
});

test("what a cell changed in files is rewound, by its own code and by tools that it called", async () => {
	const code =
		"import os\nos.remove('notes.txt')\nopen('made.txt', 'w').write('new')\n_ = run('echo more > more.txt')";
	const call = { toolCall: { name: "eval", arguments: { language: "python", code } } };
	await using home = await launch({ steps: [{ answer: { blocks: [call] } }, "Changed."] });
	const path = (name: string): string => join(home.project, name);
	writeFileSync(path("notes.txt"), "precious words\n");
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("change files\r");
	await tau.until("Changed.");
	expect(["notes.txt", "made.txt", "more.txt"].map((name) => existsSync(path(name)))).toEqual([
		false,
		true,
		true,
	]);
	tau.type("/rewind\r");
	await tau.until(/change files +3 files/);
	tau.press("enter");
	await tau.until("What should be restored?");
	tau.press("enter");
	await tau.until("Restored 3 files");
	expect(readFileSync(path("notes.txt"), "utf8")).toBe("precious words\n");
	expect(["made.txt", "more.txt"].map((name) => existsSync(path(name)))).toEqual([false, false]);
});
