/** A client of RPC mode that can be asked decides whether the code of a project runs, before there is a session. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "bun:test";

import { launch, type Launched } from "../support/launch.ts";
import { isEvent, model, startRpc, type Frame, type RpcProcess } from "./rpc-process.ts";

const asking = [...model, "--ask-trust"];

/** A project with an extension that registers a command, and a hook. */
async function launchProject(): Promise<Launched> {
	const tau = await launch({ steps: [], fallback: "Ok." });
	const directory = join(tau.project, ".tau/extensions");
	mkdirSync(directory, { recursive: true });
	const code = `export default (pi) => pi.registerCommand("own", { handler: async () => {} });`;
	writeFileSync(join(directory, "own.ts"), code);
	const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command: "touch hook-ran" }] }] };
	writeFileSync(join(tau.project, ".tau/hooks.json"), JSON.stringify({ hooks }));
	return tau;
}

interface TrustRequest extends Record<string, unknown> {
	id: string;
}

async function trustRequest(rpc: RpcProcess): Promise<TrustRequest> {
	const { request } = await rpc.until(isEvent("request_opened"));
	return request as TrustRequest;
}

async function hasCommand(rpc: RpcProcess): Promise<boolean> {
	const response = await rpc.ask({ type: "get_commands" });
	const { commands } = response.data as { commands: { name: string }[] };
	return commands.some(({ name }) => name === "own");
}

function storedTrust({ agentDir }: Launched): unknown {
	const file = join(agentDir, "trust.json");
	return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).projects : undefined;
}

async function end(rpc: RpcProcess): Promise<{ code: number; err: string }> {
	rpc.end();
	const { code, err } = await rpc.running.finished;
	return { code, err };
}

describe("a client that can be asked", () => {
	test("gets one request that lists all code of the project, and commands wait for its answer", async () => {
		await using tau = await launchProject();
		await using rpc = startRpc(tau, asking);
		rpc.write({ id: "early", type: "get_state" });
		const request = await trustRequest(rpc);
		expect(request).toMatchObject({ kind: "trust", project: tau.project });
		expect(request.runs).toEqual([
			{ path: join(tau.project, ".tau/extensions/own.ts") },
			{ path: join(tau.project, ".tau/hooks.json"), commands: ["UserPromptSubmit: touch hook-ran"] },
		]);
		const listed = await rpc.ask({ type: "list_requests" });
		expect(listed.data).toEqual({ requests: [request] });
		expect(rpc.frames.some(({ id }) => id === "early")).toBe(false);
		const answer = { trusted: true, remember: false };
		expect(await rpc.ask({ type: "answer_request", requestId: request.id, answer })).toMatchObject({
			success: true,
		});
		await rpc.until(({ id }) => id === "early");
		expect(rpc.frames.filter(isEvent("request_closed"))).toEqual([
			{ type: "request_closed", id: request.id, answered: true },
		]);
		expect(await hasCommand(rpc)).toBe(true);
		await rpc.ask({ type: "prompt", message: "hi" });
		await rpc.until(isEvent("agent_end"));
		expect(existsSync(join(tau.project, "hook-ran"))).toBe(true);
		expect(storedTrust(tau)).toBeUndefined();
		expect(await end(rpc)).toEqual({ code: 0, err: "" });
	});

	test("may answer with pi's dialogs", async () => {
		await using tau = await launchProject();
		await using rpc = startRpc(tau, asking);
		const dialog = await rpc.until(isEvent("extension_ui_request"));
		expect(dialog).toMatchObject({
			method: "select",
			options: ["Trust", "Trust for this session", "Do not trust"],
		});
		rpc.write({ type: "extension_ui_response", id: dialog.id, value: "Trust" });
		expect(await hasCommand(rpc)).toBe(true);
		expect(storedTrust(tau)).toEqual({ [tau.project]: true });
	});

	test("and says no runs nothing, and is not reminded of it", async () => {
		await using tau = await launchProject();
		await using rpc = startRpc(tau, asking);
		const { id } = await trustRequest(rpc);
		await rpc.ask({ type: "answer_request", requestId: id, answer: { trusted: false, remember: false } });
		expect(await hasCommand(rpc)).toBe(false);
		await rpc.ask({ type: "prompt", message: "hi" });
		await rpc.until(isEvent("agent_end"));
		expect(existsSync(join(tau.project, "hook-ran"))).toBe(false);
		expect(storedTrust(tau)).toBeUndefined();
		expect(await end(rpc)).toEqual({ code: 0, err: "" });
	});

	test.each([true, false])("is not asked again when its answer was to be remembered: %p", async (trusted) => {
		await using tau = await launchProject();
		{
			await using first = startRpc(tau, asking);
			const { id } = await trustRequest(first);
			await first.ask({ type: "answer_request", requestId: id, answer: { trusted, remember: true } });
			expect(await hasCommand(first)).toBe(trusted);
		}
		expect(storedTrust(tau)).toEqual({ [tau.project]: trusted });
		await using second = startRpc(tau, asking);
		expect(await hasCommand(second)).toBe(trusted);
		expect(second.frames.some(isEvent("request_opened"))).toBe(false);
	});

	test("and disconnects has said no; what it sent before is still answered", async () => {
		await using tau = await launchProject();
		await using rpc = startRpc(tau, asking);
		await trustRequest(rpc);
		rpc.write({ id: "last", type: "get_commands" });
		rpc.end();
		const { code, out, err } = await rpc.running.finished;
		const frames: Frame[] = out
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(frames.find(isEvent("request_closed"))).toMatchObject({ answered: false });
		const last = frames.find(({ id }) => id === "last");
		expect(last).toMatchObject({ success: true });
		expect(JSON.stringify(last)).not.toContain('"own"');
		expect(code).toBe(0);
		expect(err).toContain("did not run, because the project is not trusted");
		expect(storedTrust(tau)).toBeUndefined();
	});

	test("and is terminated while it is asked ends at once", async () => {
		await using tau = await launchProject();
		await using rpc = startRpc(tau, asking);
		await trustRequest(rpc);
		rpc.running.process.kill("SIGTERM");
		expect(await rpc.running.finished).toMatchObject({ code: 143 });
	});

	test("gets an error for an answer of another kind, and may answer again", async () => {
		await using tau = await launchProject();
		await using rpc = startRpc(tau, asking);
		const { id } = await trustRequest(rpc);
		const wrong = await rpc.ask({ type: "answer_request", requestId: id, answer: { confirmed: true } });
		expect(wrong).toMatchObject({ success: false, error: expect.stringContaining("kind trust") });
		await rpc.ask({ type: "answer_request", requestId: id, answer: { cancelled: true } });
		expect(await hasCommand(rpc)).toBe(false);
	});

	test("is told on standard error why the session cannot open, and Tau ends", async () => {
		await using tau = await launchProject();
		await using rpc = startRpc(tau, ["--model", "nobody/nothing", "--ask-trust"]);
		const { id } = await trustRequest(rpc);
		rpc.write({ type: "answer_request", requestId: id, answer: { trusted: true, remember: false } });
		const { code, err } = await rpc.running.finished;
		expect(code).not.toBe(0);
		expect(err).toContain("nobody/nothing");
	});
});

test("a client that has not said so is never asked", async () => {
	await using tau = await launchProject();
	await using rpc = startRpc(tau);
	expect(await hasCommand(rpc)).toBe(false);
	expect(rpc.frames.map(({ type }) => type)).toEqual(["response"]);
	expect((await end(rpc)).err).toContain("did not run, because the project is not trusted");
});

test("--ask-trust outside of RPC mode is an error", async () => {
	await using tau = await launchProject();
	const { code, err } = await tau.run(["-p", ...model, "--ask-trust", "hi"]);
	expect({ code, err }).toEqual({
		code: 2,
		err: expect.stringContaining("--ask-trust is for --mode rpc. On a terminal Tau asks anyway."),
	});
});
