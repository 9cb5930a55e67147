/** Names on the command line that do not exist: an error with the nearest name, never silence. */
import { expect, test } from "bun:test";

import { launch } from "../support/launch.ts";

test.each([
	["-xt", "bsh", "bash"],
	["--use-theme", "forst", "forest"],
	["--project-key", "antropic", "anthropic"],
])("%s %s names what was meant", async (flag, name, meant) => {
	await using tau = await launch({ steps: ["Done."] });
	const { code, err } = await tau.run(["-p", "hi", flag, name]);
	expect(err).toContain(name);
	expect(err).toContain(meant);
	expect(code).not.toBe(0);
	expect(tau.played.requests).toHaveLength(0);
});

test("bare words after -p are one prompt, quoted ones are several", async () => {
	await using tau = await launch({ steps: ["One.", "Two.", "Three."] });
	expect((await tau.run(["-p", "fix", "the", "tests"])).code).toBe(0);
	expect(tau.played.requests).toHaveLength(1);
	expect((await tau.run(["-p", "fix the tests", "now commit"])).code).toBe(0);
	expect(tau.played.requests).toHaveLength(3);
});
