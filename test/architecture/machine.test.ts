/** A tool that bypasses the machine is caught; one that uses it, and tests, are not. */
import { describe, expect, test } from "bun:test";

import { machineUse } from "./checks/machine.ts";
import { problemsIn, report } from "./fixture.ts";
import { repository } from "./tree.ts";

describe("machine", () => {
	test("the tools of the repository use the machine alone", async () => {
		expect(await report(machineUse, repository)).toBe("");
	});

	const past: [source: string, what: string][] = [
		[`import { readFileSync } from "node:fs";`, "node:fs"],
		[`import type { Stats } from "node:fs";`, "node:fs"],
		[`import { stat } from "node:fs/promises";`, "node:fs/promises"],
		[`import { spawn } from "child_process";`, "child_process"],
		[`const sqlite = await import("bun:sqlite");`, "bun:sqlite"],
		[`const text = await Bun.file(path).text();`, "Bun.file"],
		[`await Bun.write(path, text);`, "Bun.write"],
		[`Bun.spawn(["ls"]);`, "Bun.spawn"],
		[`new Bun.Glob("*").scan();`, "Bun.Glob"],
		[`import { type GlobOptions, glob } from "@tau/sys";`, "glob"],
		[`import { ShellSession } from "@tau/sys";`, "ShellSession"],
	];
	test.each(past)("%s is caught", async (source, what) => {
		const problems = await problemsIn(machineUse, { "packages/tools/src/x/tool.ts": `\n${source}` });
		expect(problems).toEqual([
			`packages/tools/src/x/tool.ts:2 uses ${what}: tools reach files and processes through \`context.machine\` (packages/sys/src/machine)`,
		]);
	});

	test("tools that use the machine, tests and other packages pass", async () => {
		const files = {
			"packages/tools/src/x/tool.ts": `import { splitGlob, type Machine } from "@tau/sys"; context.machine.files.glob({}); const file = "fs";`,
			"packages/tools/src/x/tool.test.ts": `import { rmSync } from "node:fs"; Bun.spawn([]);`,
			"packages/tools/src/x/testing/desk.ts": `import { rmSync } from "node:fs";`,
			"packages/sys/src/machine/local.ts": `import { stat } from "node:fs/promises";`,
		};
		expect(await problemsIn(machineUse, files)).toEqual([]);
	});
});
