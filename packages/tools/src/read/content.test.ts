/** Content that is not text is rejected with the way to look at it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AgentToolResult } from "@tau/agent";
import { localMachine } from "@tau/sys";

import { callTool, testToolEnv, textOf } from "../../../../test/support/tool-env.ts";
import { limits as shared } from "../tool/limits.ts";
import { FileSource } from "./source.ts";
import { read } from "./tool.ts";

let cwd = "";
beforeAll(() => {
	cwd = mkdtempSync(join(tmpdir(), "tau-read-"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function run(args: Record<string, unknown>): Promise<AgentToolResult> {
	await using env = await testToolEnv({ cwd });
	return await callTool(read.bind(env), args);
}

async function readText(
	text: string | Uint8Array,
	args: Record<string, unknown> = {},
): Promise<AgentToolResult & { text: string }> {
	writeFileSync(join(cwd, "file"), text);
	const result = await run({ path: "file", ...args });
	return { ...result, text: textOf(result) };
}

describe("content that is not text", () => {
	test("is rejected as binary, with the way to look at it", async () => {
		const { text, isError } = await readText(new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1]));
		expect(isError).toBe(true);
		expect(text).toBe(
			"Cannot read binary file file (6 B). Inspect it with bash: file file, or xxd file | head",
		);
	});

	test("but compressed text is rejected with the way to unpack it", async () => {
		const { text } = await readText(Bun.gzipSync(Buffer.from("x\n")));
		expect(text).toContain("gzip -dc file | head");
	});

	test("after a long start of text is shown by its code points", async () => {
		const start = "text\n".repeat(shared.binaryProbeBytes / 5 + 1);
		const { text, isError } = await readText(`${start}a\0b\n`, { offset: start.split("\n").length });
		expect(isError).toBeUndefined();
		expect(text).toContain("  a<U+0000>b\n");
	});

	test("in a pipe, a socket or a device is not read", async () => {
		expect(Bun.spawnSync(["mkfifo", join(cwd, "pipe")]).exitCode).toBe(0);
		using _socket = Bun.listen({ unix: join(cwd, "socket"), socket: { data() {} } });
		for (const path of ["/dev/zero", "/dev/null", "pipe", "socket"]) {
			expect(textOf(await run({ path }))).toBe(`${path} is not a regular file.`);
		}
	});

	test("in a pipe that replaces the file is not waited for", async () => {
		const absolute = join(cwd, "late-pipe");
		expect(Bun.spawnSync(["mkfifo", absolute]).exitCode).toBe(0);
		const { signal } = new AbortController();
		expect(
			await FileSource.open(localMachine(), { shown: "late", absolute, editable: false, signal }),
		).toBeUndefined();
	});

	test("in a file with size zero is read all the same, as system files are", async () => {
		expect(textOf(await run({ path: "/proc/self/status", limit: 1 }))).toMatch(/^ +1 {2}Name:/);
	});
});
