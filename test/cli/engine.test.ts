/** The thresholds that Tau starts its own engine with are not those of the commands that it runs. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { launch, root } from "../support/launch.ts";

test("a command of the model does not inherit them, and a threshold of the user's wins", async () => {
	const launcher = readFileSync(join(root, "tau"), "utf8");
	const names = [...launcher.matchAll(/^\t(BUN_JSC_\w+)="\$\{\1:-\d+\}"/gm)].map(([, name]) => name);
	expect(names.length).toBeGreaterThan(3);
	const call = { toolCall: { name: "bash", arguments: { command: "env; echo that was all" } } };
	await using tau = await launch({ steps: [{ answer: { blocks: [call] } }, "Done."] });
	const { code, err } = await tau.run(["-p", "go", "--model", "played/played-1"]);
	expect([code, err]).toEqual([0, expect.not.stringContaining("Warning")]);
	const result = tau.played.requests[1]?.rawBody ?? "";
	expect(result).toContain("that was all");
	expect(result).not.toMatch(/BUN_JSC|TAU_ENGINE/);
});
