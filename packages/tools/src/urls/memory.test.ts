/** `memory://` lists what exists, and says why nothing does. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Memory, memoryDirectories } from "@tau/session/memory";

import { readFixture } from "../../../../test/support/read-fixture.ts";
import { testToolEnv } from "../../../../test/support/tool-env.ts";
import { memoryUrls, registerUrlScheme } from "./index.ts";

let home = "";
const before = process.env.TAU_CONFIG_DIR;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-memory-"));
	process.env.TAU_CONFIG_DIR = home;
	mkdirSync(join(home, "project"));
});
afterEach(() => {
	if (before === undefined) delete process.env.TAU_CONFIG_DIR;
	else process.env.TAU_CONFIG_DIR = before;
	rmSync(home, { recursive: true, force: true });
});

test("memory:// has the digest, all notes and skills; what does not exist is named with what does", async () => {
	await using at = readFixture(await testToolEnv());
	using _ = registerUrlScheme(at.env, "memory", memoryUrls(join(home, "project")));
	expect(await at.read("memory://root")).toMatchObject({
		isError: true,
		text: "There is no memory://root. Memory is off (memories.enabled).",
	});
	{
		using memory = new Memory(memoryDirectories(join(home, "project")), { create: true });
		memory.applyEdit("", "Tests run with bun.");
		memory.project?.change({ label: "skill" }, (draft) =>
			draft.putSkill({ name: "release", description: "To release", body: "1. make release" }),
		);
	}
	expect((await at.read("memory://root")).text).toContain("Memory Guidance");
	expect((await at.read("memory://root/MEMORY.md")).text).toContain("[1] Tests run with bun.");
	expect((await at.read("memory://root/skills/release/SKILL.md")).text).toContain("make release");
	for (const path of ["root/../../x", "root/memory.sqlite", "elsewhere", "root/skills/../MEMORY.md"])
		expect((await at.read(`memory://${path}`)).text).toStartWith(
			`There is no memory://${path}. Available: memory://global, memory://global/MEMORY.md, memory://root,`,
		);
});
