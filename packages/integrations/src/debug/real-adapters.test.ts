/** Real debuggers: the model stops programs at lines, looks at their variables, and changes them. */
// takes 25 s
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { inSandbox } from "../../../../test/support/sandboxed-tools.ts";
import { untilEnded } from "../../../../test/support/processes.ts";
import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { debuggers } from "./debuggers.ts";
import { debug } from "./tool.ts";

const minute = 60_000;

async function call(env: TestToolEnv, args: Record<string, unknown>): Promise<string> {
	return textOf(await callTool(debug.bind(env), { timeout: 50, ...args }));
}

/** What a program prints, and where it stops, arrive independently of each other. */
async function outputWith(env: TestToolEnv, words: string): Promise<string> {
	let text = "";
	for (const end = Date.now() + 60_000; !text.includes(words) && Date.now() < end; await Bun.sleep(20))
		text = await call(env, { action: "output" });
	return text;
}

const python = `import sys

def total(prices, rate):
    amount = 0
    for price in prices:
        amount += price * rate
    return amount

bill = total([10, 20, 30], 2)
print("bill", bill, sys.argv[1:])
raise ValueError("no money")
`;

async function pythonEnv(): Promise<TestToolEnv> {
	const env = await testToolEnv();
	writeFileSync(env.resolve("shop.py"), python);
	return env;
}

const debugpy = needs("/usr/lib/python3/dist-packages/debugpy/__init__.py");

debugpy(
	"a stop says what was thrown, and where a line was that has no code; hits are a number",
	async () => {
		await using env = await pythonEnv();
		const moved = await call(env, { action: "launch", program: "shop.py", until: "shop.py:999" });
		expect(moved).toContain("shop.py has no code at line 999; until was set at line 11.");
		expect(await call(env, { action: "continue" })).toStartWith(
			"d1 stopped: exception (ValueError: no money), shop.py:11",
		);
		const breakpoints = [{ at: "shop.py:6", hits: 2 }];
		const second = await call(env, { action: "launch", program: "shop.py", breakpoints, show: ["price"] });
		expect(second).toContain("price = 20");
	},
	minute,
);

debugpy(
	"one call runs a Python program to a line and shows variables there",
	async () => {
		await using env = await pythonEnv();
		const text = await call(env, {
			action: "launch",
			program: "shop.py",
			until: "7",
			show: ["amount", "prices[1]", "nonsense"],
		});
		expect(text).toStartWith(`d1 stopped: breakpoint, shop.py:7 in total
     5      for price in prices:
     6          amount += price * rate
>    7      return amount
     8  
     9  bill = total([10, 20, 30], 2)
amount = 120
prices[1] = 20
nonsense = (`);
		expect(await call(env, { action: "breakpoints" })).not.toContain("shop.py:7");
		const moved = { action: "breakpoints", breakpoints: [{ at: "shop.py:11" }, { at: "shop.py:99" }] };
		expect((await call(env, moved)).match(/shop\.py:\d+/g)).toEqual(["shop.py:11"]);
		await call(env, { action: "breakpoints", remove: true });
		expect(await call(env, { action: "stack" })).toMatch(
			/^#0 shop\.py:7 in total\n#1 shop\.py:9 in <module>/,
		);
		expect(await call(env, { action: "variables" })).toContain("amount (int) = 120");
		expect(await call(env, { action: "evaluate", expression: "amount + rate" })).toBe("122");
		expect(await call(env, { action: "set_variable", expression: "amount", value: "7" })).toBe("amount = 7");
		expect(await call(env, { action: "step_out", show: ["bill"] })).toContain("shop.py:9 in <module>");
		expect(await call(env, { action: "continue", args: [] })).toContain("d1 stopped: exception");
		expect(await outputWith(env, "bill 7 []")).toContain("bill 7 []");
	},
	minute,
);

debugpy(
	"conditions, log points and exceptions stop and print as they should",
	async () => {
		await using env = await pythonEnv();
		const breakpoints = [
			{ at: "shop.py:6", condition: "price == 30" },
			{ at: "shop.py:10", log: "the bill is {bill}" },
		];
		const first = await call(env, {
			action: "launch",
			program: "shop.py",
			args: ["a b"],
			breakpoints,
			show: ["amount"],
		});
		expect(first).toContain("shop.py:6 in total");
		expect(first).toContain("amount = 60");
		const second = await call(env, { action: "continue" });
		expect(second).toContain("d1 stopped: exception");
		expect(second).toContain("no money");
		for (const line of ["[log] the bill is 120", "bill 120 ['a b']"])
			expect(await outputWith(env, line)).toContain(line);
		expect(await call(env, { action: "continue" })).toContain("d1 has ended: exit code 1.");
		expect(await call(env, { action: "stack" })).toContain("ended");
	},
	minute,
);

debugpy(
	"a program that runs on can be paused, and nothing of it is left when the session ends",
	async () => {
		const env = await testToolEnv();
		let pid = 0;
		try {
			writeFileSync(env.resolve("spin.py"), "import os\nn = 0\nwhile True:\n    n += 1\n");
			expect(await call(env, { action: "launch", program: "spin.py", timeout: 0.1 })).toContain(
				"has not stopped within 0.1 s",
			);
			expect(await call(env, { action: "pause" })).toContain("d1 stopped: pause, spin.py:");
			pid = Number(await call(env, { action: "evaluate", expression: "os.getpid()" }));
			expect(process.kill(pid, 0)).toBe(true);
			expect(await call(env, { action: "sessions" })).toMatch(
				/^d1 spin\.py \(debugpy\), stopped at spin\.py:\d in <module>: pause/,
			);
		} finally {
			await env[Symbol.asyncDispose]();
		}
		await untilEnded(pid);
	},
	minute,
);

debugpy(
	"a server that waits for a debugger is attached to by its port, and lives on after the end",
	async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("serve.py"), "x = 20\ny = x + 1\nprint('sum', x + y)\n");
		const command = [
			"/usr/bin/python3",
			"-u",
			"-m",
			"debugpy",
			"--listen",
			"127.0.0.1:0",
			"--wait-for-client",
		];
		const port = await freePort();
		command[5] = `127.0.0.1:${port}`;
		await using server = Bun.spawn([...command, "serve.py"], {
			cwd: env.cwd,
			stdout: "pipe",
			stderr: "ignore",
		});
		let text = "refused";
		const attach = { action: "attach", adapter: "debugpy", port, until: "serve.py:3", show: ["y"] };
		for (const deadline = Date.now() + 60_000; /refused/.test(text) && Date.now() < deadline;)
			text = await call(env, attach);
		expect(text).toContain("serve.py:3 in <module>");
		expect(text).toContain("y = 21");
		await call(env, { action: "terminate" });
		expect(await server.stdout.text()).toContain("sum 41");
		expect(await server.exited).toBe(0);
	},
	minute,
);

async function freePort(): Promise<number> {
	using listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
	return listener.port;
}

needs("/usr/lib/python3/dist-packages/debugpy/__init__.py", "bwrap", "nsenter")(
	"a debugged program cannot write outside of the sandbox",
	async () =>
		inSandbox(false, async (env, outside) => {
			const path = join(outside, "made");
			writeFileSync(env.resolve("out.py"), `open("inside", "w")\nopen(${JSON.stringify(path)}, "w")\n`);
			const text = await call(env, { action: "launch", program: "out.py" });
			expect(text).toContain("d1 stopped: exception");
			expect(text).toContain("Read-only file system");
			expect([existsSync(env.resolve("inside")), existsSync(path)]).toEqual([true, false]);
		}),
	minute,
);

needs(
	"dlv",
	"go",
	"lldb-vscode-14",
	"gcc",
	"bwrap",
	"nsenter",
)(
	"a debugger that traces its program asks to run outside of the sandbox",
	async () => {
		for (const mayRunOutside of [true, false])
			await inSandbox(mayRunOutside, async (env, _, asked) => {
				buildGo(env);
				writeFileSync(env.resolve("area.c"), c);
				Bun.spawnSync(["gcc", "-g", "-O0", "-o", "area", "area.c"], { cwd: env.cwd });
				const delve = { action: "launch", adapter: "delve", program: "app", until: "main.go:8", show: ["x"] };
				const lldb = { action: "launch", program: "area", until: "area.c:5", show: ["result"] };
				const [go, native] = [await call(env, delve), await call(env, lldb)];
				expect(asked).toEqual(["delve: app", "lldb-dap: area"]);
				expect(go).toContain(mayRunOutside ? "x = 42" : "The sandbox refuses tracing");
				expect(native).toContain(mayRunOutside ? "result = 42" : "The sandbox refuses tracing");
			});
	},
	2 * minute,
);

function buildGo(env: TestToolEnv): void {
	const source = 'package main\n\nimport "fmt"\n\nfunc main() {\n\tx := 41\n\tx++\n\tfmt.Println(x)\n}\n';
	writeFileSync(env.resolve("main.go"), source);
	// Without `all=`: to compile Go's own packages anew takes 13 s of CPU on a machine that has never done it.
	const build = Bun.spawnSync(["go", "build", "-gcflags=-N -l", "-o", "app", "main.go"], {
		cwd: env.cwd,
		env: { ...process.env, GO111MODULE: "off" },
	});
	expect(build.stderr.toString()).toBe("");
}

test("in plan mode a program from before can be inspected, and does not run on", async () => {
	const plan = {
		isOn: false,
		nextMode: "auto",
		leave: () => "",
		edit: async () => undefined,
		startFresh() {},
	};
	await using env = await testToolEnv({ plan });
	const command = [
		process.execPath,
		join(import.meta.dir, "../../../../test/support/fault-adapter.ts"),
		"none",
	];
	await env.settings.set("debug.adapters", { faulty: { command, files: [".x"] } }, "session");
	writeFileSync(env.resolve("a.x"), "");
	expect(await call(env, { action: "launch", program: "a.x" })).toStartWith("d1 stopped");
	plan.isOn = true;
	for (const action of ["continue", "step_over", "step_in", "step_out"])
		expect(await call(env, { action })).toStartWith("d1 was started before plan mode, and could write.");
	expect(await call(env, { action: "stack" })).toStartWith("#0");
});

const c = `#include <stdio.h>
struct point { int x; int y; };
int area(struct point p) {
	int result = p.x * p.y;
	return result;
}
int main(int argc, char **argv) {
	struct point p = { 6, 7 };
	printf("%d\\n", area(p));
	return 3;
}
`;

needs("lldb-vscode-14", "gcc")(
	"an executable is debugged with lldb: functions, members, memory, exit code",
	async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("area.c"), c);
		Bun.spawnSync(["gcc", "-g", "-O0", "-o", "area", "area.c"], { cwd: env.cwd });
		const first = await call(env, { action: "launch", program: "area", breakpoints: [{ function: "area" }] });
		expect(first).toContain("area.c:4 in area");
		expect(await call(env, { action: "step_over", show: ["result", "p.y"] })).toContain(
			"result = 42\np.y = 7",
		);
		expect(await call(env, { action: "variables", expression: "p" })).toContain("x (int) = 6");
		expect(await call(env, { action: "set_variable", expression: "result", value: "5" })).toBe("result = 5");
		expect(await call(env, { action: "threads" })).toMatch(/^> \d+ /);
		expect(await call(env, { action: "memory", address: "0" })).toContain("does not read memory");
		expect(await call(env, { action: "continue" })).toContain("d1 has ended: exit code 3.");
	},
	minute,
);

needs("dlv", "go")(
	"a Go program is debugged with delve, which listens on a port",
	async () => {
		await using env = await testToolEnv();
		buildGo(env);
		// It is known by its bytes: lldb would not understand it.
		const first = await call(env, {
			action: "launch",
			program: "app",
			until: "main.go:8",
			show: ["x"],
		});
		expect(first).toContain("main.go:8 in main.main");
		expect(first).toContain("x = 42");
		expect(await call(env, { action: "disassemble", count: 3 })).toMatch(/0x[0-9a-f]+ {2}/);
		const end = await call(env, { action: "continue" });
		expect(end).toContain("d1 has ended");
		expect(`${end}\n${await outputWith(env, "42")}`).toMatch(/^42$/m);
	},
	2 * minute,
);

test("a missing debugger is named with the way to install it", async () => {
	await using env = await testToolEnv();
	await env.settings.set(
		"debug.adapters",
		{ "none-such": { command: "none-such", files: [".xyz"] } },
		"session",
	);
	writeFileSync(env.resolve("a.xyz"), "");
	const text = await call(env, { action: "launch", program: "a.xyz" });
	expect(text).toBe("No debugger for a.xyz is installed. Ask the user to install: none-such (none-such).");
	expect(env.services.peek(debuggers)?.sessions).toEqual([]);
});
