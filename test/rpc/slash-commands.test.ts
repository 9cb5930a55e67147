/** Slash commands over RPC: a client lists, completes, runs and stops what a user types on the screen. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { launch } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { isEvent, model, startRpc, type Frame, type RpcProcess } from "./rpc-process.ts";

async function run(rpc: RpcProcess, name: string, args = ""): Promise<Record<string, unknown>> {
	const response = await rpc.ask({ type: "run_command", name, args });
	if (response.success !== true) throw new Error(String(response.error));
	return (response.data ?? {}) as Record<string, unknown>;
}

async function refusal(rpc: RpcProcess, name: string, args = ""): Promise<unknown> {
	const response = await rpc.ask({ type: "run_command", name, args });
	expect(response.success).toBe(false);
	return response.error;
}

/** The next dialog that waits for the client. */
async function dialog(rpc: RpcProcess, after = 0): Promise<Frame> {
	return await rpc.until(({ type, method }) => type === "extension_ui_request" && isDialog(method), after);
}

function isDialog(method: unknown): boolean {
	return ["select", "confirm", "input", "editor"].includes(String(method));
}

test("a client names the session, labels this point and sets a goal", async () => {
	await using tau = await launch({ steps: ["Hello."] });
	await using rpc = startRpc(tau);
	expect(await run(rpc, "name")).toMatchObject({
		text: "This session has no name. Set one with /name <name>.",
	});
	expect(await run(rpc, "label", "here")).toMatchObject({ text: "Nothing to label yet." });
	await rpc.ask({ type: "prompt", message: "hi" });
	await rpc.until(isEvent("agent_end"));
	expect(await run(rpc, "label", "here")).toMatchObject({ text: 'Labeled "here".', data: { label: "here" } });
	expect(await run(rpc, "rename", "blue")).toMatchObject({
		text: 'Session renamed to "blue".',
		level: "success",
	});
	expect(await run(rpc, "goal", "true")).toMatchObject({ data: { goal: { check: "true", attempts: 0 } } });
	expect(await run(rpc, "goal", "--off")).toMatchObject({ text: "Goal off.", data: { goal: null } });
	const { data } = (await rpc.ask({ type: "get_state" })) as { data?: { sessionName?: string } };
	expect(data?.sessionName).toBe("blue");
});

test("an unknown command, an unknown option and an argument too many are refused with what to do", async () => {
	await using tau = await launch({ steps: [] });
	await using rpc = startRpc(tau);
	expect(await refusal(rpc, "comit")).toBe("Unknown command /comit. Did you mean /commit or /cost?");
	expect(await refusal(rpc, "commit", "--splt")).toBe("Unknown option --splt. Did you mean --split?");
	expect(await refusal(rpc, "retry", "now")).toBe("/retry takes no arguments. Usage: /retry");
	expect(await refusal(rpc, "model", "nobody/none")).toContain("nobody/none");
});

test("commands are listed with what they need, and complete their arguments", async () => {
	await using tau = await launch({ steps: [] });
	await using rpc = startRpc(tau);
	const { data } = (await rpc.ask({ type: "list_commands" })) as {
		data?: { commands: Record<string, unknown>[] };
	};
	const named = new Map((data?.commands ?? []).map((command) => [command.name, command]));
	expect(named.get("model")).toMatchObject({ right: "control", shows: [""], group: "Model", source: "tau" });
	expect(named.get("init")).toMatchObject({ right: "prompt", source: "prompt" });
	expect(named.get("share")).toMatchObject({ right: "control", group: "Session" });
	const completed = await rpc.ask({ type: "complete_command", name: "commit", prefix: "s" });
	expect(completed.data).toEqual({ items: [{ value: "split", label: "split" }] });
	const models = (await rpc.ask({ type: "complete_command", name: "model", prefix: "played" })) as {
		data?: { items: { value: string }[] };
	};
	expect(models.data?.items.map(({ value }) => value)).toContain(model[1] ?? "");
});

test("the question of a command waits for the client, and is answered over the wire", async () => {
	await using tau = await launch({ steps: [] });
	await using rpc = startRpc(tau);
	const running = rpc.ask({ type: "run_command", name: "mode" });
	const opened = await dialog(rpc);
	expect(opened).toMatchObject({ method: "select", options: ["plan", "ask", "auto", "full"] });
	rpc.write({ type: "extension_ui_response", id: opened.id, value: "ask" });
	expect((await running).data).toMatchObject({ level: "success", data: { mode: "ask" } });
});

test("a command that waits for an answer is stopped", async () => {
	await using tau = await launch({ steps: [] });
	await using rpc = startRpc(tau);
	const running = rpc.ask({ type: "run_command", name: "mode" });
	await dialog(rpc);
	expect(await rpc.ask({ type: "abort_command", name: "mode" })).toMatchObject({ success: true });
	expect(await running).toMatchObject({ success: true, data: { data: { mode: expect.any(String) } } });
});

/** What each command is run with beside no arguments at all; those without a line take none, or do all with none. */
const argumentsOf: Readonly<Record<string, readonly string[]>> = {
	agents: ["types", "nobody", "stop nobody", "message nobody hello"],
	ask: ["played/played-1 why?"],
	btw: ["why?"],
	browser: ["close", "wrong"],
	commit: ["--dry-run"],
	compact: ["undo", "edit"],
	context: ["print", "show nothing", "drop nothing"],
	debug: ["profile 1"],
	debugger: ["end d1"],
	diff: ["missing.txt"],
	export: ["out.md"],
	fork: ["all", "missing"],
	goal: ["true", "off"],
	import: ["missing.jsonl"],
	jobs: ["show j1", "end j1"],
	label: ["here"],
	lsp: ["log", "reload"],
	machine: ["local"],
	mcp: ["list", "show nobody", "reload"],
	memory: ["list", "log", "review", "private", "undo"],
	mode: ["ask", "wrong"],
	model: ["played/played-1", "nobody/none"],
	name: ["blue"],
	permissions: ["revoke g1"],
	plan: [""],
	remember: ["use tabs"],
	resume: ["nothing like it"],
	review: ["#7"],
	rewind: ["redo", "missing"],
	sandbox: ["allow example.org", "wrong"],
	"scoped-models": ["add played/played-1", "save"],
	settings: ["get theme", "set theme dark", "retry"],
	thinking: ["high"],
	todo: ["add a task", "done 1", "edit"],
	tools: ["off bash", "on bash"],
	tree: ["missing"],
	trust: ["no"],
};

test("every command answers a client, or refuses with its reason", async () => {
	await using tau = await launch({ steps: Array.from({ length: 60 }, () => "An answer.") });
	await using rpc = startRpc(tau);
	await rpc.ask({ type: "prompt", message: "hi" });
	await rpc.until(isEvent("agent_end"));
	const { data } = (await rpc.ask({ type: "list_commands" })) as { data?: { commands: { name: string }[] } };
	const names = (data?.commands ?? []).map(({ name }) => name);
	expect(names.length).toBeGreaterThan(55);
	expect(Object.keys(argumentsOf).filter((name) => !names.includes(name))).toEqual([]);
	const silent: string[] = [];
	for (const name of names)
		for (const args of ["", ...(argumentsOf[name] ?? [])]) {
			const response = await declining(rpc, { type: "run_command", name, args });
			const { data: reply = {}, error = "" } = response as { data?: { text?: string }; error?: string };
			const isAnswered = response.success === true ? typeof reply === "object" : error !== "";
			if (!isAnswered) silent.push(`/${name} ${args}: ${JSON.stringify(response)}`);
		}
	expect(silent).toEqual([]);
	// It is still there, and does what it is told.
	expect(await run(rpc, "name")).toMatchObject({ level: "info" });
}, 300_000);

/** Sends a command; whatever it asks meanwhile is declined. */
async function declining(rpc: RpcProcess, command: object): Promise<Frame> {
	const from = rpc.frames.length;
	const declined = new Set<unknown>();
	const running = rpc.ask(command);
	const isNews = (frame: Frame): boolean =>
		frame.type === "extension_ui_request" && isDialog(frame.method) && !declined.has(frame.id);
	for (;;) {
		const next = await Promise.race([running, rpc.until(isNews, from)]);
		if (next.type !== "extension_ui_request") return next;
		declined.add(next.id);
		rpc.write({ type: "extension_ui_response", id: next.id, cancelled: true });
	}
}

needs("git")("/commit asks, and commits what was agreed to", async () => {
	await using tau = await launch({ steps: ["Add a file"] });
	Bun.spawnSync(["git", "init", "-q", tau.project]);
	for (const [key, value] of [
		["user.name", "Ann"],
		["user.email", "ann@example.org"],
	] as const)
		Bun.spawnSync(["git", "-C", tau.project, "config", key, value]);
	writeFileSync(join(tau.project, "a.txt"), "a\n");
	await using rpc = startRpc(tau, [...model, "--trust"]);
	const running = rpc.ask({ type: "run_command", name: "commit", args: "--all" });
	const opened = await dialog(rpc);
	expect(opened).toMatchObject({ method: "select", title: "Commit this?" });
	expect(
		rpc.frames.some(({ type, text }) => type === "command_progress" && text === "Writing the commit message"),
	).toBe(true);
	expect(rpc.frames.find(isEvent("notice"))).toMatchObject({ message: expect.stringContaining("a.txt") });
	rpc.write({ type: "extension_ui_response", id: opened.id, value: "Commit" });
	expect((await running).data).toMatchObject({
		text: expect.stringContaining("Committed:"),
		level: "success",
	});
	const log = Bun.spawnSync(["git", "-C", tau.project, "log", "--format=%s"]).stdout.toString();
	expect(log.trim()).toBe("Add a file");
});

test("an output style is listed, chosen for the next request, and taken back", async () => {
	await using tau = await launch({ steps: ["Long.", "Short.", "Long."] });
	await using rpc = startRpc(tau);
	const prompted = async (): Promise<string> => {
		const after = rpc.frames.length;
		await rpc.ask({ type: "prompt", message: "hi" });
		await rpc.until(isEvent("agent_end"), after);
		return tau.played.requests.at(-1)?.rawBody ?? "";
	};
	expect(await prompted()).not.toContain("Write as little as possible.");
	expect(await run(rpc, "output-style")).toMatchObject({ data: { current: null } });
	expect(await run(rpc, "output-style", "concise")).toMatchObject({ text: "Output style: concise." });
	expect(await prompted()).toContain("Write as little as possible.");
	expect(await refusal(rpc, "output-style", "nosuch")).toContain('There is no output style "nosuch"');
	await run(rpc, "output-style", "off");
	expect(await prompted()).not.toContain("Write as little as possible.");
});

test("a loop sends its prompt again while the session is open, until it is switched off", async () => {
	await using tau = await launch({ steps: ["Not yet.", "Not yet.", "Done.", "Extra."] });
	await using rpc = startRpc(tau);
	const ask = (text: string) => rpc.ask({ type: "prompt", message: text });
	await ask("/loop soon is it done?");
	await rpc.until((frame) => JSON.stringify(frame).includes("Usage: /loop <interval> <prompt>"));
	await ask("/loop 1s is it done?");
	await rpc.until((frame) => JSON.stringify(frame).includes("loop 1s · 3"));
	await rpc.ask({ type: "prompt", message: "/loop off" });
	await rpc.until((frame) => JSON.stringify(frame).includes("The loop has ended after"));
	const prompts = tau.played.requests.map(({ rawBody }) => rawBody.split("is it done?").length - 1);
	expect(prompts.slice(0, 2)).toEqual([1, 2]);
});
