/** What the model is told about the machine is true, and costs no process. */
import { expect, test } from "bun:test";
import { cpus, totalmem } from "node:os";

import { systemInfo } from "./info.ts";

test("the facts are those of this machine", () => {
	const info = systemInfo();
	expect(info).toMatchObject({ platform: process.platform, arch: process.arch, cores: cpus().length });
	expect(info.memoryBytes).toBe(totalmem());
	expect(info.name).not.toBe("");
});

test("they are looked up once", () => {
	expect(systemInfo()).toBe(systemInfo());
});
