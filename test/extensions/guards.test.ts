/** What a guard that was written for pi's `bash` sees of commands: all of them, in whichever form they are called. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { isEvent, model, startRpc } from "../rpc/rpc-process.ts";
import { launch, type Launched } from "../support/launch.ts";
import { withExtension } from "./opened.ts";

/** As pi's example does it: it looks at `bash` and its command, and knows no other tool. */
const guard = `export default (pi) => {
	pi.on("tool_call", ({ toolName, input }, ctx) => {
		if (toolName !== "bash") return;
		ctx.ui.notify("saw <" + input.command + ">");
		if (/touch made/.test(input.command)) return { block: true, reason: "not this" };
	});
	pi.registerTool({ name: "twice", label: "Twice", description: "Runs a command twice", parameters: { type: "object", properties: { what: { type: "string" } } },
		async execute(id, { what }, signal, onUpdate, ctx) { return await ctx.executeTool("bash", { command: what }); } });
};`;

function put(tau: Launched, name: string, text: string): string {
	const file = join(tau.home, name);
	writeFileSync(file, text);
	return file;
}

const call = (name: string, args: Record<string, unknown>): Scenario["steps"][number] => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});

const command = "touch made";
const forms: Record<string, [name: string, args: Record<string, unknown>]> = {
	"a plain command": ["bash", { command }],
	"arguments that have to be mended": ["bash", { command, timeout: "5" }],
	"a job in the background": ["bash", { command, async: true }],
	"a command with a terminal": ["bash", { command, pty: true, async: true }],
	"a command in another directory": ["bash", { command, cwd: "sub" }],
	"a command with variables": ["bash", { command, env: { A: "1" } }],
	"a part of a longer command": ["bash", { command: `cd sub && ${command}; true` }],
	"a command that another tool runs": ["twice", { what: command }],
};

test.each(Object.entries(forms))("%s is seen and can be blocked", async (_, [name, args]) => {
	await using tau = await launch({ steps: [call(name, args), "Done."] });
	mkdirSync(join(tau.project, "sub"));
	const { code, err } = await tau.run(["-p", ...model, "-e", put(tau, "guard.ts", guard), "go"]);
	expect(code).toBe(0);
	expect(err).toContain("saw <");
	expect(err).toContain(`${command}`);
	expect(tau.played.requests[1]?.rawBody).toContain("not this");
	for (const place of ["made", "sub/made"]) expect(existsSync(join(tau.project, place))).toBe(false);
});

test("what the model types into a shell in the background is seen as a command", async () => {
	await using tau = await launch({
		steps: [
			call("bash", { command: "sh", async: true }),
			call("job", { action: "input", id: "1", input: `${command}\n` }),
			"Done.",
		],
	});
	const { err } = await tau.run(["-p", ...model, "-e", put(tau, "guard.ts", guard), "go"]);
	expect(err).toContain("saw <sh>");
	expect(err).toContain(`saw <${command}`);
	expect(tau.played.requests[2]?.rawBody).toContain("not this");
	expect(existsSync(join(tau.project, "made"))).toBe(false);
});

test("a call by the name that Claude Code has for it runs nothing that a guard has not seen", async () => {
	await using tau = await launch({ steps: [call("Bash", { command }), "Done."] });
	await tau.run(["-p", ...model, "-e", put(tau, "guard.ts", guard), "go"]);
	expect(tau.played.requests[1]?.rawBody).toMatch(/There is no tool \\"Bash\\"|not this/);
	expect(existsSync(join(tau.project, "made"))).toBe(false);
});

const userGuard = `pi.on("user_bash", ({ command, excludeFromContext }, ctx) => {
	ctx.ui.notify("saw <" + command + "> " + excludeFromContext);
	if (/touch made/.test(command)) return { result: { output: "not this", exitCode: 1, cancelled: false, truncated: false } };
});`;

test("commands of the user are events of their own, and can be answered instead of run", async () => {
	await using opened = await withExtension(userGuard);
	const { tau } = opened;
	tau.type(`!${command}\r`);
	await tau.until(`saw <${command}> false`);
	await tau.until("not this");
	tau.type(`!!${command} again\r`);
	await tau.until(`saw <${command} again> true`);
	tau.type("!echo fr''ee\r");
	await tau.until(/^ *free$/m);
	expect(existsSync(join(tau.home.project, "made"))).toBe(false);
});

test("a command of an RPC client is one of the user", async () => {
	await using tau = await launch({ steps: [] });
	await using rpc = startRpc(tau, [
		...model,
		"-e",
		put(tau, "guard.ts", `export default (pi) => { ${userGuard} };`),
	]);
	expect(await rpc.ask({ type: "bash", command })).toMatchObject({ data: { output: "not this" } });
	await rpc.until((frame) => frame.method === "notify");
	expect(rpc.frames.some(isEvent("tool_execution_start"))).toBe(false);
	expect(existsSync(join(tau.project, "made"))).toBe(false);
});
