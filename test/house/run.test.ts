/** The whole house is checked by one command, which fails when one check does. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { plant } from "./plant.ts";
import { run } from "./process.ts";
import { repository } from "./tree.ts";

test("one bad line makes the command fail and is named with its check, file and line", async () => {
	await using tree = await plant({ "package.json": "{}", "packages/tui/src/a.ts": "\nconsole.log(1);\n" });
	const ran = await run([process.execPath, join(repository, "test/house/run.ts"), tree.root], repository);
	expect(ran.stdout).toMatch(/^console: packages\/tui\/src\/a\.ts:2 console\.log outside the CLI/m);
	expect(ran.stdout).toMatch(/^house: \d+ checks, \d+ problems/m);
	expect(ran.code).toBe(1);
});
