/** The facts about the machine that the model gets are true, and cost no process. */
import { expect, test } from "bun:test";
import { cpus, totalmem } from "node:os";

import { systemInfo } from "./info.ts";

test("the facts are those of this machine", () => {
	const info = systemInfo();
	expect(info).toMatchObject({ platform: process.platform, arch: process.arch, cores: cpus().length });
	expect(info.memoryBytes).toBe(totalmem());
	expect(info.name).not.toBe("");
});

test("they are collected once", () => {
	expect(systemInfo()).toBe(systemInfo());
});
