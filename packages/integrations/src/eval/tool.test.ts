/** Cells keep their state, show their results, can be interrupted, and say what a dead interpreter lost. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { AgentToolResult } from "@tau/agent";
import { localMachine, type RunningProgram } from "@tau/sys";

import { needs } from "../../../../test/support/needs.ts";
import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { disabledReason, modulesOf } from "./languages.ts";
import { evalTool } from "./tool.ts";

let env: TestToolEnv;
let started: RunningProgram[];
let isTrusted = false;
let isCurrent = true;
beforeEach(async () => {
	started = [];
	isTrusted = false;
	isCurrent = true;
	const machine = localMachine();
	env = await testToolEnv({
		env: { PATH: process.env.PATH, HOME: process.env.HOME, OPENAI_API_KEY: "sk-secret" },
		isTrusted: () => isTrusted,
		machine: {
			...machine,
			shell: {
				...machine.shell,
				start: async (program) => {
					const running = await machine.shell.start(program);
					started.push(running);
					return { ...running, isCurrent: async () => isCurrent };
				},
			},
		},
	});
});
afterEach(() => env[Symbol.asyncDispose]());

interface Ran extends AgentToolResult {
	text: string;
}

async function cell(
	language: "python" | "js",
	code: string,
	more: Record<string, unknown> = {},
	{ signal, onUpdate = () => {} }: { signal?: AbortSignal; onUpdate?: (text: string) => void } = {},
): Promise<Ran> {
	const result = await callTool(evalTool.bind(env), { language, code, ...more }, signal, (partial) =>
		onUpdate(textOf(partial)),
	);
	return { ...result, text: textOf(result) };
}

const languages = [
	["python", needs("python3")],
	["js", needs()],
] as const;

const results: [what: string, language: "python" | "js", code: string, text: string][] = [
	["Python shows prints and the last value", "python", "x = 41\nprint('hi')\nx + 1", "hi\n42"],
	["Python shows nothing before a semicolon at the end", "python", "x = 41\nx + 1;", "(no output)"],
	[
		"Python finds the source of a function",
		"python",
		"def twice(x):\n    return 2 * x\nimport inspect\nprint(inspect.getsource(twice), end='')",
		"def twice(x):\n    return 2 * x",
	],
	["Python shows nothing for None", "python", "None", "(no output)"],
	["Python awaits at the top level", "python", "import asyncio\nawait asyncio.sleep(0, 'late')", "'late'"],
	[
		"output of processes is in order",
		"python",
		"print(1)\nimport os; _ = os.system('echo 2')\nprint(3)",
		"1\n2\n3",
	],
	[
		"rows become a table",
		"python",
		"display([{'a': 1, 'b': 'x'}, {'a': 20, 'b': 'y'}])",
		"a   b\n1   x\n20  y",
	],
	["data becomes JSON", "python", "display({'k': [1]})", '{\n  "k": [\n    1\n  ]\n}'],
	[
		"what is only HTML becomes text",
		"python",
		"class Report:\n  def _repr_html_(self): return '<style>p{}</style><h1>Sales</h1><table><tr><td>Q1<td>4 &lt; 5</table><ul><li>one<li>two</ul>'\nReport()",
		"Sales\nQ1\t4 < 5\n- one\n- two",
	],
	[
		"Markdown comes before it",
		"python",
		"class Note:\n  def _repr_markdown_(self): return '**yes**'\n  def _repr_html_(self): return '<b>no</b>'\nNote()",
		"**yes**",
	],
	["JavaScript shows prints and the last value", "js", "const x = 41;\nconsole.log('hi');\nx + 1", "hi\n42"],
	["JavaScript awaits at the top level", "js", "const late = await Promise.resolve('late');\nlate", '"late"'],
	["JavaScript imports", "js", "import { sep } from 'node:path';\nsep", '"/"'],
	["TypeScript is JavaScript with types", "js", "const n: number = 4;\nn", "4"],
	["TypeScript shows its last line", "js", "const m: number = 4;\n!m", "false"],
	[
		"JavaScript does not ask",
		"js",
		"[prompt, confirm, alert].map((ask) => { try { return ask('x') } catch ({ message }) { return message.slice(0, 12) } }).join()",
		'"Cells cannot,Cells cannot,Cells cannot"',
	],
];
describe.each(languages)("%s", (language, promise) => {
	const rows = results.filter(([, each]) => each === language);
	promise.each(rows)("%s", async (_, __, code, text) => {
		const ran = await cell(language, code);
		expect({ text: ran.text, isError: ran.isError === true }).toEqual({ text, isError: false });
	});
});

describe("state", () => {
	needs("python3")("lasts over calls, in each language", async () => {
		await cell("python", "import math\ndef area(r): return round(math.pi * r * r)");
		expect((await cell("python", "area(2)")).text).toBe("13");
		await cell(
			"js",
			"class Box { size = 3 }\nlet { a, ...rest } = { a: 1, b: 2 };\nfunction twice(n) { return 2 * n }",
		);
		expect((await cell("js", "[new Box().size, a, rest.b, twice(4)].join()")).text).toBe('"3,1,2,8"');
		await cell("js", "await 1; function later() { return 'kept' }\nfor (var i = 0; i < 3; i++) await i;");
		expect((await cell("js", "later() + i")).text).toBe('"kept3"');
		expect(started).toHaveLength(2);
	});

	test("a declaration can be run again", async () => {
		for (const value of [1, 2]) await cell("js", `const again = ${value}; let other; other = again;`);
		expect((await cell("js", "again + other")).text).toBe("4");
	});

	needs("python3")("reset starts from nothing", async () => {
		await cell("python", "x = 1");
		const { text, isError } = await cell("python", "x", { reset: true });
		expect(isError).toBe(true);
		expect(text).toContain("NameError: name 'x' is not defined");
	});

	needs("python3")(
		"a dead interpreter is started again, says what was lost, and has its imports",
		async () => {
			await cell("python", "import json\nrows = [1]\ntotal = 2");
			const died = await cell("python", "import os\nos._exit(3)");
			expect(died.isError).toBe(true);
			expect(died.text).toBe(
				"[Python exited with code 3; it starts again with the next cell. Lost: json, rows, total.]",
			);
			const next = await cell("python", "json.dumps('rows' in globals())");
			expect(next.text).toBe("'false'\n\n[Its imports were run again.]");
		},
	);

	test("one that died between two cells is noticed", async () => {
		await cell("js", "let kept = 1");
		await started[0]?.kill();
		await started[0]?.exited;
		const next = await cell("js", "typeof kept");
		expect(next.text).toBe(
			'"undefined"\n\n[JavaScript was killed by SIGTERM, and was started again. Lost: kept.]',
		);
	});
});

needs("python3")("an interpreter of another sandbox runs no cell", async () => {
	await cell("python", "made_outside = 1");
	isCurrent = false;
	const { text } = await cell("python", "'made_outside' in globals()");
	expect(text).toBe(
		"False\n\n[The sandbox has changed: Python was ended, and was started again. Lost: made_outside.]",
	);
	expect(await started[0]?.exited).toBeDefined();
});

describe("failures", () => {
	needs("python3")(
		"an exception of Python names the line of the cell, and no line of the runner",
		async () => {
			const { text, isError, details } = await cell("python", "def f():\n  return 1 / 0\n\n\nf()");
			expect(isError).toBe(true);
			expect(text).toContain('File "<cell 1>", line 5, in <module>\n    f()');
			expect(text).toContain('File "<cell 1>", line 2, in f\n    return 1 / 0');
			expect(text).not.toContain("<string>");
			expect(details).toMatchObject({ error: "ZeroDivisionError: division by zero", line: 2 });
		},
	);

	const lines: [what: string, language: "python" | "js", code: string, line: number, error: string][] = [
		["an exception", "js", "const a = 1;\n\n\nnull.x", 4, "TypeError"],
		["an exception after await", "js", "import fs from 'node:fs';\nawait 1;\n\nnull.x", 4, "TypeError"],
		["a syntax error", "js", "let a = 1;\nlet b = ;", 2, "SyntaxError"],
		["a syntax error", "python", "a = 1\nb = = 2", 2, "SyntaxError"],
	];
	describe.each(languages)("%s", (language, promise) => {
		const rows = lines.filter(([, each]) => each === language);
		promise.each(rows)("%s in %s has its line", async (_, __, code, line, error) => {
			const { isError, details } = await cell(language, code);
			expect(isError).toBe(true);
			expect(details).toMatchObject({ line, error: expect.stringContaining(error) });
		});
	});

	needs("python3")("input gets no answer, and the cell says why", async () => {
		expect((await cell("python", "import os\n%matplotlib inline\n")).text).toContain("cells have no magics");
		expect((await cell("python", "!ls -l")).text).toContain('use run("...")');
		expect((await cell("python", "input('name? ')")).text).toContain("Cells cannot ask for input");
	});

	needs("python3")("an exit of Python ends the cell and not the interpreter", async () => {
		await cell("python", "x = 1");
		expect((await cell("python", "raise SystemExit(2)")).isError).toBe(true);
		expect((await cell("python", "x")).text).toBe("1");
	});

	needs("python3")("a language that is off, and a missing interpreter, are explained", async () => {
		await env.settings.set("eval.js", false, "session");
		expect((await cell("js", "1")).text).toBe("Cells of JavaScript are disabled (eval.js).");
		expect(disabledReason("python", { settings: env.settings, env: { PI_PY: "0" } })).toBe(
			"Cells of Python are disabled (PI_PY).",
		);
		await env.settings.set("eval.pythonPath", "/no/such/python", "session");
		expect((await cell("python", "1")).text).toStartWith(
			"Cannot start /no/such/python: there is no such program",
		);
	});
});

describe("interrupts", () => {
	const endless: [what: string, language: "python" | "js", code: string][] = [
		["a loop", "python", "while True: pass"],
		["a sleep", "python", "import time; time.sleep(60)"],
		["an await", "python", "import asyncio; await asyncio.sleep(60)"],
		["a loop", "js", "while (true) {}"],
		["an await", "js", "await new Promise(() => {})"],
	];
	describe.each(languages)("%s", (language, promise) => {
		const rows = endless.filter(([, each]) => each === language);
		promise.each(rows)("%s in %s ends, and the variables stay", async (_, __, code) => {
			await cell(language, "kept = 5");
			const stop = new AbortController();
			const running = cell(
				language,
				language === "js" ? `console.log(1)\n${code}` : `print(1)\n${code}`,
				{},
				{
					signal: stop.signal,
					onUpdate: () => stop.abort(),
				},
			);
			const { text, isError } = await running;
			expect(isError).toBe(true);
			expect(text).toContain("The cell was interrupted by the user.");
			expect(text).toContain("keeps its variables.");
			expect((await cell(language, "kept")).text).toBe("5");
		});

		promise("a cell that is aborted before it starts keeps the variables", async () => {
			await cell(language, "kept = 5");
			const code = language === "js" ? "await new Promise(() => {})" : "while True: pass";
			const { text } = await cell(language, code, {}, { signal: AbortSignal.abort() });
			expect(text).toContain("keeps its variables.");
			expect((await cell(language, "kept")).text).toBe("5");
		});
	});

	needs("python3")("a cell that cannot be interrupted is killed", async () => {
		await cell("python", "kept = 5");
		const code =
			"import signal, time\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\nwhile True: time.sleep(0.02)";
		const { text } = await cell("python", code, { timeout: 1 });
		expect(text).toContain("Python was killed by SIGTERM; it starts again with the next cell. Lost: kept.");
		expect(text).toContain("The cell timed out after 1 s.");
	});
});

needs("python3")("output is shown while the cell runs", async () => {
	const seen: string[] = [];
	const code =
		"import os, time\nprint('first')\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint('second')";
	const { text } = await cell(
		"python",
		code,
		{ timeout: 40 },
		{
			onUpdate: (part) => {
				seen.push(part);
				writeFileSync(join(env.cwd, "go"), "");
			},
		},
	);
	expect(seen[0]).toBe("first");
	expect(text).toBe("first\nsecond");
});

describe("JavaScript as JavaScript", () => {
	test("a constant stays what it is, until a cell declares it again", async () => {
		expect((await cell("js", "const c = 1; c = 2")).text).toContain(
			"TypeError: Assignment to constant variable 'c'.\n  at line 1 of cell",
		);
		expect((await cell("js", "c++")).text).toContain("TypeError: Assignment to constant variable 'c'.");
		expect((await cell("js", "[1].map((c) => { c = 5; return c })")).text).toBe("[ 5 ]");
		expect((await cell("js", "const c = 3; c")).text).toBe("3");
		expect((await cell("js", "let c = 4; c = 5; c")).text).toBe("5");
		expect((await cell("js", "const o = {}; o.x = 1; o")).text).toContain("x: 1");
	});

	test("a variable cannot be used before its line", async () => {
		const { text } = await cell("js", "tdz; let tdz = 1");
		expect(text).toContain("ReferenceError: Cannot access 'tdz' before initialization.\n  at line 1");
		expect((await cell("js", "tdz")).text).toContain("ReferenceError");
		expect((await cell("js", "typeof tdz")).text).toBe('"undefined"');
	});

	test("a declaration whose value could not be computed leaves the earlier one", async () => {
		await cell("js", "const rows = [1, 2]; function size() { return rows.length }");
		expect((await cell("js", "const rows = JSON.parse('[')")).isError).toBe(true);
		expect((await cell("js", "size()")).text).toBe("2");
		await cell("js", "const rows = await [1]");
		expect((await cell("js", "size()")).text).toBe("1");
	});

	test("names of the runtime can be declared", async () => {
		const code =
			"const crypto = require('crypto'); const { performance } = require('perf_hooks'); typeof crypto.createHash";
		expect((await cell("js", code)).text).toBe('"function"');
		expect((await cell("js", code)).text).toBe('"function"');
	});

	test("using disposes at the end of its cell, the last one first", async () => {
		await cell("js", "const open = (name) => ({ name, [Symbol.dispose]() { console.log('closed', name) } })");
		const { text } = await cell("js", "using a = open('a'), b = open('b')\nconsole.log('used', a.name)");
		expect(text).toBe("used a\nclosed b\nclosed a");
		const typed = await cell("js", "using t: { name: string } = open('t'); t.name");
		expect(typed.text).toBe('"t"\nclosed t');
		const failed = await cell("js", "using a = open('a')\nthrow new Error('x')");
		expect(failed.text).toStartWith("closed a\nError: x");
		const asynchronous = "await using d = { async [Symbol.asyncDispose]() { console.log('later') } }; 1";
		expect((await cell("js", asynchronous)).text).toBe("1\nlater");
		expect((await cell("js", "using n = 5")).text).toContain(
			"TypeError: The value has no [Symbol.dispose]()",
		);
	});

	test("an error shows its cause, and the errors inside of it", async () => {
		const cause = await cell("js", "throw new Error('outer', { cause: new TypeError('inner') })");
		expect(cause.text).toContain("Error: outer\n");
		expect(cause.text).toContain("  Caused by TypeError: inner\n");
		const any = await cell("js", "await Promise.any([Promise.reject(new Error('one')), Promise.reject(2)])");
		expect(any.text).toContain("AggregateError");
		expect(any.text).toContain("  1. Error: one\n");
		expect(any.text).toContain("  2. Thrown: 2");
		const own = await cell("js", "const self = new Error('self'); self.cause = self; throw self");
		expect(own.text).toContain("Caused by Error: self");
	});

	test("the console groups and takes options, and a group ends with its cell", async () => {
		const code =
			"console.group('g'); console.log('in'); console.dir({ a: { b: 1 } }, { depth: 0 }); console.count()";
		expect((await cell("js", code)).text).toBe("g\n  in\n  { a: [Object] }\n  default: 1");
		expect((await cell("js", "console.log('out')")).text).toBe("out");
	});

	test("a semicolon ends a statement, and its value is shown", async () => {
		expect((await cell("js", "1 + 1;")).text).toBe("2");
	});

	test("what was lost names no variable of the compiler", async () => {
		await cell("js", "const dec = (v: any, c: any) => v; @dec class Kept { @dec x: number = 1 }");
		await started[0]?.kill();
		await started[0]?.exited;
		expect((await cell("js", "1")).text).toEndWith("Lost: dec, Kept.]");
	});

	test("an empty cell is refused with a reason", async () => {
		expect((await cell("js", "")).text).toContain("code: the cell is empty");
	});
});

describe("many printed lines of Python", () => {
	needs("python3")("are written together, and those of a slow cell at once", async () => {
		const code = `import os
count, real = 0, os.write
def counted(fd, data):
    global count
    count += 1
    return real(fd, data)
os.write = counted
for i in range(30_000): print(i)
os.write = real
count < 15_000`;
		const { text } = await cell("python", code);
		expect(text).toEndWith("29998\n29999\nTrue");
	});

	needs("python3")("keep their order beside errors and processes", async () => {
		const code = `import os, subprocess, sys
for i in range(2_000): print("out", i)
print("error", file=sys.stderr)
for i in range(200): print("again", i)
subprocess.run(["echo", "process"])
for i in range(200): print("later", i)
os.system("echo command")
if (child := os.fork()) == 0:
    print("child", flush=True)
    os._exit(0)
os.waitpid(child, 0)
print("last")`;
		const { text } = await cell("python", code);
		const lines = text.split("\n").filter((line) => !/^(?:out|again|later) (?!1999$|199$)/.test(line));
		expect(lines.slice(-8)).toEqual([
			"out 1999",
			"error",
			"again 199",
			"process",
			"later 199",
			"command",
			"child",
			"last",
		]);
	});
});

needs("python3")("an image is an image", async () => {
	const png =
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
	env.session.model.input.push("image");
	for (const [language, code] of [
		["python", `import base64\ndisplay(base64.b64decode("${png}"))`],
		["js", `Buffer.from("${png}", "base64")`],
	] as const) {
		const { content } = await cell(language, code);
		expect(content.map(({ type }) => type)).toEqual(["text", "image"]);
	}
});

needs("python3")("keys of providers are not in the environment", async () => {
	expect((await cell("python", "import os; os.environ.get('OPENAI_API_KEY')")).text).toBe("(no output)");
	expect((await cell("js", "process.env.OPENAI_API_KEY")).text).toBe("(no output)");
});

needs("python3")("long output is cut, and kept as an artifact", async () => {
	const { details, text } = await cell("python", "for i in range(40000): print('line', i)");
	expect(details).toMatchObject({ truncated: true, totalLines: 40_000, artifactId: expect.any(String) });
	expect(text).toContain("line 39999");
});

needs("python3")("the interpreters end with the session", async () => {
	await cell("python", "1");
	await cell("js", "1");
	await env.services[Symbol.asyncDispose]();
	for (const { exited } of started) expect(await exited).toBeDefined();
});

describe("the project's Python", () => {
	needs("python3")("is that of its virtual environment", async () => {
		mkdirSync(join(env.cwd, ".venv/bin"), { recursive: true });
		const script = '#!/bin/sh\nexport FROM_VENV=yes\nexec python3 "$@"\n';
		writeFileSync(join(env.cwd, ".venv/bin/python"), script, { mode: 0o755 });
		const { text } = await cell("python", "import os; os.environ['FROM_VENV'], os.environ['VIRTUAL_ENV']");
		expect(text).toBe(`('yes', '${join(env.cwd, ".venv")}')`);
	});

	needs("python3")(
		"loads the modules of a trusted project, and no module of the project in the place of its own",
		async () => {
			mkdirSync(join(env.cwd, ".tau/modules"), { recursive: true });
			writeFileSync(join(env.cwd, ".tau/modules/team.py"), "def greet(): return 'hello'");
			writeFileSync(join(env.cwd, "json.py"), "raise RuntimeError('not the one')");
			expect((await cell("python", "greet()")).text).toContain("NameError");
			isTrusted = true;
			expect((await cell("python", "greet()", { reset: true })).text).toBe("'hello'");
		},
	);

	needs("python3")("loads the modules that were written for omp, below those for Tau", async () => {
		isTrusted = true;
		const home = join(env.cwd, "home");
		const module = (folder: string, name: string): string => {
			mkdirSync(folder, { recursive: true });
			writeFileSync(join(folder, name), "");
			return join(folder, name);
		};
		const mine = module(join(home, ".omp/agent/modules"), "mine.py");
		const team = module(join(env.cwd, ".omp/modules"), "team.py");
		module(join(env.cwd, ".omp/modules"), "both.py");
		const both = module(join(env.cwd, ".tau/modules"), "both.py");
		const at = { ...env, env: { HOME: home } };
		expect(await modulesOf("python", at)).toEqual([mine, both, team]);
		const get = ((key: Parameters<typeof at.settings.get>[0]) =>
			key === "discovery.disabled" ? ["omp"] : at.settings.get(key)) as typeof at.settings.get;
		expect(await modulesOf("python", { ...at, settings: { get } })).toEqual([both]);
	});
});
