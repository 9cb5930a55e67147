/** Adapters that hang, die, flood or send nonsense cost one call, and leave nothing behind. */
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { debuggers } from "./debuggers.ts";
import { debug } from "./tool.ts";

const adapter = join(import.meta.dir, "../../../../test/support/fault-adapter.ts");

async function faulty(fault: string, ...more: string[]): Promise<TestToolEnv> {
	const env = await testToolEnv();
	const command = [process.execPath, adapter, fault, ...more];
	await env.settings.set("debug.adapters", { faulty: { command, files: [".x"] } }, "session");
	writeFileSync(env.resolve("a.x"), "");
	return env;
}

const call = async (env: TestToolEnv, args: Record<string, unknown>, signal?: AbortSignal): Promise<string> =>
	textOf(await callTool(debug.bind(env), args, signal));
const launch = { action: "launch", program: "a.x", timeout: 20 };
const sessions = (env: TestToolEnv): number => env.services.peek(debuggers)?.sessions.length ?? 0;

test("an adapter that dies is reported with its last words", async () => {
	for (const command of ["initialize", "launch"]) {
		await using env = await faulty(`die:${command}`);
		const text = await call(env, launch);
		expect(text).toContain("it exited with code 7");
		expect(text).toContain("out of luck");
		expect(sessions(env)).toBe(0);
	}
});

test("an adapter that dies later ends its session, and the next program can be debugged", async () => {
	await using env = await faulty("die:next");
	expect(await call(env, launch)).toStartWith("d1 stopped: breakpoint");
	expect(await call(env, { action: "step_over" })).toContain("it exited with code 7");
	expect(await call(env, { action: "stack" })).toStartWith("d1 has ended: faulty: it exited with code 7");
	expect(await call(env, launch)).toStartWith("d2 stopped: breakpoint");
});

test("what a program printed last is in the report of its end, however late it arrives", async () => {
	await using env = await testToolEnv();
	// The bridge carries messages and output with `cat`: that of the output starts late, as on a busy machine.
	const slow = "[ /proc/self/fd/1 -ef /proc/self/fd/2 ] && sleep 0.6\nexec /bin/cat\n";
	mkdirSync(env.resolve("bin"));
	writeFileSync(env.resolve("bin/cat"), `#!/bin/bash\n${slow}`, { mode: 0o755 });
	env.env.PATH = `${env.resolve("bin")}:${env.env.PATH}`;
	await env.settings.set(
		"debug.adapters",
		{ delve: { command: [process.execPath, adapter, "prints"] } },
		"session",
	);
	writeFileSync(env.resolve("a.go"), "");
	const text = await call(env, { ...launch, program: "a.go" });
	expect(text).toBe("d1 has ended: the program has ended.\nOutput:\nlast words");
});

test("what an adapter refuses is reported in its words, with what it printed", async () => {
	await using env = await faulty("refuse:launch");
	expect(await call(env, launch)).toBe(
		"faulty refused launch: cannot do that\nOutput:\nline 3: syntax error",
	);
	expect(sessions(env)).toBe(0);
});

test("a wait for an adapter that hangs can be stopped, and its processes end", async () => {
	for (const command of ["initialize", "launch", "configurationDone"]) {
		await using env = await faulty(`hang:${command}`);
		const stop = new AbortController();
		const running = call(env, launch, stop.signal);
		while (sessions(env) === 0) await Bun.sleep(5);
		stop.abort();
		await expect(running).rejects.toThrow();
		expect(sessions(env)).toBe(0);
	}
});

test("a flood of output is cut to its end", async () => {
	await using env = await faulty("flood");
	const text = await call(env, launch);
	expect(text.length).toBeLessThan(4000);
	expect(text).toContain("characters omitted]");
	expect(text).toContain("line 19999 ");
	expect((await call(env, { action: "output" })).length).toBeLessThan(10_000);
});

test("nonsense ends the session with a reason", async () => {
	await using env = await faulty("garbage");
	expect(await call(env, launch)).toStartWith(
		"d1 has ended: faulty: it sent a message that is not valid JSON",
	);
});

test("a message larger than any bound ends the session with a reason", async () => {
	await using env = await faulty("huge");
	expect(await call(env, launch)).toStartWith("d1 has ended: faulty: it sent a message of 524288000 bytes");
});

test("an answer that comes too late, or to another request, is not taken for one", async () => {
	await using env = await faulty("late:threads");
	await call(env, launch);
	const stop = new AbortController();
	const asked = call(env, { action: "threads" }, stop.signal);
	stop.abort();
	await expect(asked).rejects.toThrow();
	// The late answer arrives before that of this call.
	expect(await call(env, { action: "stack" })).toBe("#0  in main");
	await using wrong = await faulty("wrong");
	expect(await call(wrong, launch)).toStartWith("d1 stopped: breakpoint");
	expect(await call(wrong, { action: "threads" })).toBe("> 1 main");
});

test("events of any shape are no harm", async () => {
	await using env = await faulty("unasked");
	expect(await call(env, launch)).toMatch(/^d1(\.\d+)* stopped: /);
	expect(await call(env, { action: "stack", session: "d1" })).toStartWith("#0 ");
	expect(await call(env, { action: "terminate" })).toStartWith("d1 is ended.");
});

test("answers of odd shapes and sizes are no harm", async () => {
	await using odd = await faulty("odd");
	expect(await call(odd, launch)).toStartWith("d1 stopped: breakpoint, thread 1");
	await using env = await faulty("none");
	expect(await call(env, { ...launch, show: ["x"] })).toMatch(/^x = x{290,300}…?$/m);
	expect(await call(env, { action: "threads" })).toBe("> 1 main");
	expect((await call(env, { action: "evaluate", expression: "x" })).length).toBe(8000);
});

test("a program that the adapter runs in a terminal gets one, with the variables it asks for", async () => {
	await using env = await faulty("terminal", "bash", "-c", 'test -t 1 && echo "it is $COLOR, home: $HOME;"');
	expect(await call(env, { ...launch, timeout: 0.1 })).toStartWith("d1 is running.");
	let text = "";
	const isComplete = (): boolean => text.includes("home:") && text.includes("runInTerminal");
	for (const deadline = Date.now() + 60_000; !isComplete() && Date.now() < deadline; await Bun.sleep(20))
		text = await call(env, { action: "output" });
	expect(text).toContain("it is blue, home: ;");
	expect(text).toContain("answer runInTerminal yes");
});

test("a child session stops and ends as one of its program", async () => {
	await using env = await faulty("children", "none");
	expect(await call(env, launch)).toStartWith("d1.1 stopped: breakpoint");
	expect(await call(env, { action: "sessions" })).toStartWith(
		"d1 a.x (faulty), running\n  d1.1 child (faulty), stopped",
	);
	expect(await call(env, { action: "stack", session: "d1" })).toStartWith("#0 ");
	expect(await call(env, { action: "stack", session: "d1.2" })).toContain("There are: d1, d1.1.");
	expect(await call(env, { action: "terminate", session: "d1.1" })).toBe("d1 is ended.");
	expect(sessions(env)).toBe(0);
});

test("of several stopped processes, a call means the one that was reported", async () => {
	await using env = await faulty("children", "none", "none");
	const first = /^d1\.\d/.exec(await call(env, launch))?.[0] ?? "";
	let text = "";
	for (const deadline = Date.now() + 60_000; Date.now() < deadline; await Bun.sleep(5)) {
		text = await call(env, { action: "sessions" });
		if (text.match(/stopped/g)?.length === 2) break;
	}
	expect(text.match(/stopped/g)).toHaveLength(2);
	const second = first === "d1.1" ? "d1.2" : "d1.1";
	expect(await call(env, { action: "continue" })).toStartWith(`${second} stopped`);
	expect(await call(env, { action: "sessions" })).toContain(`${first} child (faulty), running`);
});

test("a child session that dies or refuses is reported, and the program continues", async () => {
	for (const [fault, words] of [
		["die:launch", "it exited with code 7"],
		["refuse:launch", "refused launch"],
	] as const) {
		await using env = await faulty("children", fault);
		expect(await call(env, { ...launch, timeout: 0.01 })).toContain("is running.");
		let text = "";
		for (
			const deadline = Date.now() + 60_000;
			!text.includes(words) && Date.now() < deadline;
			await Bun.sleep(5)
		)
			text = await call(env, { action: "output" });
		expect(text).toContain(`[d1.1: `);
		expect(text).toContain(words);
	}
});

test("child sessions without end are bounded", async () => {
	await using env = await faulty("children");
	const text = await call(env, { ...launch, timeout: 50 });
	expect(text).toMatch(/^d1(\.1){16} stopped: entry/);
	expect(text).toContain("answer startDebugging no");
});

test("several programs are debugged beside each other, up to a bound", async () => {
	await using env = await faulty("none");
	for (const id of ["d1", "d2", "d3", "d4"]) expect(await call(env, launch)).toStartWith(`${id} stopped`);
	expect(await call(env, launch)).toBe("4 programs are being debugged already. Terminate one first.");
	expect(await call(env, { action: "terminate", session: "d2" })).toBe("d2 is ended.");
	expect(await call(env, { action: "stack", session: "d2" })).toContain("There are: d1, d3, d4.");
	expect(await call(env, { action: "stack", session: "d1" })).toStartWith("#0 ");
	expect(await call(env, launch)).toStartWith("d5 stopped");
});
