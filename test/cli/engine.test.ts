/** The thresholds that Tau starts its own engine with are not those of the commands that it runs. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { launch, root } from "../support/launch.ts";

const programs: [how: string, program: string][] = [
	["from the clone", join(root, "tau")],
	["as an executable", join(root, "node_modules/.cache/tau/tau")],
];

test.each(programs)("a command of the model does not inherit them (%s)", async (_, program) => {
	// Builds the executable if it is not there yet.
	const built = Bun.spawn([join(root, "tau"), "--version"], { stdout: "ignore" });
	expect(await built.exited).toBe(0);
	const call = { toolCall: { name: "bash", arguments: { command: "env; echo that was all" } } };
	await using tau = await launch({ steps: [{ answer: { blocks: [call] } }, "Done."] }, undefined, {
		program: [program],
	});
	const { code, err } = await tau.run(["-p", "go", "--model", "played/played-1"]);
	expect([code, err]).toEqual([0, expect.not.stringContaining("Warning")]);
	const result = tau.played.requests[1]?.rawBody ?? "";
	expect(result).toContain("that was all");
	expect(result).not.toMatch(/BUN_JSC|TAU_ENGINE/);
});
