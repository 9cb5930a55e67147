/** The whole repository is checked by one command, which fails if one check does. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { writeFixture } from "./fixture.ts";
import { run } from "./process.ts";
import { repository } from "./tree.ts";

test("one bad line makes the command fail and is named with its check, file and line", async () => {
	await using tree = await writeFixture({
		"package.json": "{}",
		"packages/tui/src/a.ts": "\nconsole.log(1);\n",
	});
	const ran = await run(
		[process.execPath, join(repository, "test/architecture/run.ts"), tree.root],
		repository,
	);
	expect(ran.stdout).toMatch(/^console: packages\/tui\/src\/a\.ts:2 console\.log outside the CLI/m);
	expect(ran.stdout).toMatch(/^check: \d+ checks, \d+ problems/m);
	expect(ran.code).toBe(1);
});
