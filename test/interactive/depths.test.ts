/** In every color depth, dark and light, a change and the answer that Enter would give are told from the rest. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { launch } from "../support/launch.ts";
import { openTau } from "./driver.ts";

const depths = {
	16: { TERM: "xterm", COLORTERM: "" },
	256: { TERM: "xterm-256color", COLORTERM: "" },
	truecolor: { TERM: "xterm-256color", COLORTERM: "truecolor" },
} as const;
const edit = { path: "a.js", edits: [{ oldText: "let was = 1;", newText: "let now = 2;" }] };
const steps = [
	{ answer: { blocks: [{ toolCall: { name: "edit", arguments: edit } }] } },
	{ answer: { blocks: [{ toolCall: { name: "bash", arguments: { command: "rm -rf build" } } }] } },
];
const themes = ["dark", "light"] as const;
const cases = themes.flatMap((theme) =>
	Object.entries(depths).map(([depth, env]) => [depth, theme, env] as const),
);

test.each(cases)("%s colors on a %s ground", async (depth, theme, env) => {
	await using home = await launch({ steps });
	writeFileSync(join(home.project, "a.js"), "// one\nlet was = 1;\n// two\n");
	writeFileSync(join(home.agentDir, "config.yml"), `theme: ${theme}\ntools:\n  approval:\n    edit: allow\n`);
	await using tau = await openTau({ steps }, { home, env, args: ["--approval-mode", "ask"] });
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("2. Yes");
	const [removed, added] = [tau.lookOf("let was"), tau.lookOf("let now")];
	const [chosen, other] = [tau.lookOf("1. Yes"), tau.lookOf("2. Yes")];
	if (depth === "16") {
		expect([removed?.back, added?.back]).toEqual([-1, -1]);
		expect([(removed?.front ?? 0) % 8, (added?.front ?? 0) % 8]).toEqual([1, 2]);
		expect([chosen?.isInverse, other?.isInverse]).toEqual([true, false]);
	} else {
		expect(new Set([removed?.back, added?.back, -1]).size).toBe(3);
		expect(chosen?.front).not.toBe(other?.front);
	}
});
