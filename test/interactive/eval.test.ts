/** Cells at the real program: their code is shown above what they print, and what they change is rewound. */
import { expect } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { launch } from "../support/launch.ts";
import { openTau } from "./driver.ts";

needs("python3")("a cell is shown with its code and its output", async () => {
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

/** The row of a cell that has ended: a sign that turns is behind one that runs, and names are known at its end. */
const ended = (code: string): RegExp => new RegExp(`${RegExp.escape(code)}( [\\d.ms ]+)?$`, "m");

needs("python3")(
	"cells of the user: Python after $, JavaScript after $js, names by Tab",
	async () => {
		await using tau = await openTau({ steps: ["I have read it."] });
		await tau.until("played-1");
		tau.type("$class_of_things = dict(first_name='Ada')\r");
		await tau.until(ended("'Ada')"));
		tau.type("$class_of\t");
		await tau.untilDraft("$class_of_things");
		tau.type(".setdef\t");
		await tau.untilDraft("$class_of_things.setdefault");
		tau.type("('last_name', 6 * 7)\r");
		await tau.until("42");
		tau.type("$js const longTitle = 'Notes'.toUpperCase(); longTitle\r");
		await tau.until('"NOTES"');
		await tau.until(ended("longTitle"));
		expect(tau.screen()).toContain("$js const longTitle");
		tau.type("$js longTi\t");
		await tau.untilDraft("$js longTitle");
		tau.type(".toLowerC\t");
		await tau.untilDraft("$js longTitle.toLowerCase");
		tau.type("()\r");
		await tau.until('"notes"');
		tau.type("what did I run?\r");
		await tau.until("I have read it.");
		const request = tau.home.played.requests[0]?.rawBody ?? "";
		for (const text of ["Ran Python:", "Ran JavaScript:", "longTitle.toLowerCase()"])
			expect(request).toContain(text);
	},
	180_000,
);

needs("python3")(
	"what a cell changed in files is rewound, by its own code and by tools that it called",
	async () => {
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
	},
);
