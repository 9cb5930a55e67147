/** The tables cost nothing until something is validated. */
import { expect, test } from "bun:test";
import { join } from "node:path";

/** Imports the package in a fresh process, runs `use` of it, and gives the names of the schemas that were built. */
async function builtBy(use: string): Promise<string[]> {
	const code = `
		import { z } from "zod";
		import * as wire from ${JSON.stringify(join(import.meta.dir, "index.ts"))};
		${use};
		process.stdout.write(JSON.stringify(Object.keys(z.toJSONSchema(z.globalRegistry).schemas)));`;
	const child = Bun.spawn([process.execPath, "-e", code], {
		cwd: import.meta.dir,
		stdin: "ignore",
		stdout: "pipe",
	});
	const text = await child.stdout.text();
	expect(await child.exited).toBe(0);
	return JSON.parse(text);
}

test("listing the events for extensions builds no schema", async () => {
	expect(await builtBy(`if (!wire.extensionEventNames.has("agent_start")) process.exit(1)`)).toEqual([]);
});

test("validating does", async () => {
	expect(await builtBy(`wire.eventSchema()`)).toContain("Event");
});
