/** Clients over RPC see the agents of a session, steer and stop them, and ask those that have ended. */
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";
import { startRpc, type Frame, type RpcProcess } from "./rpc-process.ts";

const call = (name: string, args: Record<string, unknown>) => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});
const gate = "touch waits; until [ -e gate ]; do sleep 0.02; done; echo open";
const delegate = call("task", { tasks: [{ assignment: "guard the gate", name: "Guard" }] });

async function data(rpc: RpcProcess, command: object): Promise<Record<string, unknown>> {
	const response = await rpc.ask(command);
	expect(response).toMatchObject({ success: true });
	return (response as Frame & { data: Record<string, unknown> }).data;
}

/** The event of the agent that runs its command. */
const isCommand = (frame: Frame): boolean =>
	frame.type === "child_event" && JSON.stringify(frame).includes('"tool_execution_start"');

test("an agent is listed, steered, and asked again after its end", async () => {
	await using tau = await launch({
		steps: [delegate, call("bash", { command: gate }), "Opened.", "Done.", "Twice."],
	});
	await using rpc = startRpc(tau);
	await data(rpc, { type: "prompt", message: "go" });
	await rpc.until(isCommand);
	expect(await data(rpc, { type: "get_children" })).toMatchObject({
		children: [{ id: "Guard", agent: "task", task: "guard the gate", state: "running" }],
	});
	await data(rpc, { type: "prompt_child", childId: "Guard", message: "and close it" });
	writeFileSync(join(tau.project, "gate"), "");
	await rpc.until(({ type }) => type === "agent_end");
	expect(JSON.stringify(tau.played.requests[2]?.body)).toContain("and close it");
	const after = rpc.frames.length;
	await data(rpc, { type: "prompt_child", childId: "Guard", message: "how often?" });
	await rpc.until(({ type }) => type === "child_ended", after);
	const { messages } = await data(rpc, { type: "get_child_messages", childId: "Guard" });
	expect(JSON.stringify(messages)).toContain("Twice.");
	expect(await rpc.ask({ type: "prompt_child", childId: "Nobody", message: "hello" })).toMatchObject({
		success: false,
		error: "There is no conversation of an agent Nobody to continue.",
	});
});

test("agents are listed after a resume, and those that a kill cut off are named", async () => {
	const two = call("task", {
		tasks: [
			{ assignment: "guard the gate", name: "Guard" },
			{ assignment: "count the geese", name: "Scout" },
		],
	});
	await using tau = await launch({
		steps: [
			two,
			{ when: { bodyContains: "guard the gate" }, ...call("bash", { command: gate }) },
			{ when: { bodyContains: "count the geese" }, answer: "Seen." },
		],
		fallback: "Good.",
	});
	let session = "";
	{
		await using rpc = startRpc(tau);
		({ sessionFile: session } = (await data(rpc, { type: "get_state" })) as { sessionFile: string });
		await data(rpc, { type: "prompt", message: "go" });
		await rpc.until(isCommand);
		await rpc.until(({ type, id }) => type === "child_ended" && id === "Scout");
		rpc.running.process.kill("SIGKILL");
		await rpc.running.process.exited;
	}
	writeFileSync(join(tau.project, "gate"), "");
	for (const isReported of [true, false]) {
		await using rpc = startRpc(tau, ["--session", session]);
		expect(await data(rpc, { type: "get_children" })).toMatchObject({
			children: expect.arrayContaining([
				expect.objectContaining({ id: "Guard", agent: "task", task: "guard the gate", state: "aborted" }),
				expect.objectContaining({ id: "Scout", state: "completed", lastAction: "Seen.", turns: 1 }),
			]),
		});
		await data(rpc, { type: "prompt", message: "go on" });
		await rpc.until(({ type }) => type === "agent_end");
		const notices = rpc.frames.filter(({ type }) => type === "notice").map((frame) => JSON.stringify(frame));
		expect(notices.some((text) => text.includes("1 agent was working: Guard."))).toBe(isReported);
	}
});

test("an agent is stopped with its commands, and the model learns of it", async () => {
	await using tau = await launch({ steps: [delegate, call("bash", { command: gate }), "I see."] });
	await using rpc = startRpc(tau);
	await data(rpc, { type: "prompt", message: "go" });
	await rpc.until(isCommand);
	await data(rpc, { type: "abort_child", childId: "Guard" });
	await rpc.until(({ type }) => type === "agent_end");
	expect(rpc.frames.find(({ type }) => type === "child_ended")).toMatchObject({ outcome: "aborted" });
	expect(JSON.stringify(tau.played.requests[2]?.body)).toContain("It was stopped.");
	expect(existsSync(join(tau.project, "gate"))).toBe(false);
});

test("an agent that has ended is asked again after a restart, with no more rights than it had", async () => {
	const explore = call("task", { tasks: [{ assignment: "look around", name: "Scout", agent: "explore" }] });
	const write = call("write", { path: "made", content: "x" });
	await using tau = await launch({
		steps: [explore, "Looked.", "Done.", write, "It was quiet."],
	});
	const toolsOf = (at: number): unknown => {
		const body = tau.played.requests[at]?.body as { tools: { name: string }[] } | undefined;
		return body?.tools.map(({ name }) => name);
	};
	{
		await using rpc = startRpc(tau);
		await data(rpc, { type: "prompt", message: "go" });
		await rpc.until(({ type }) => type === "agent_end");
	}
	await using rpc = startRpc(tau, ["--continue"]);
	await data(rpc, { type: "prompt_child", childId: "Scout", message: "and then?" });
	await rpc.until(({ type }) => type === "child_ended");
	const asked = JSON.stringify(tau.played.requests[3]?.body);
	expect(asked).toContain("look around");
	expect(asked).toContain("and then?");
	expect(toolsOf(3)).toEqual(toolsOf(1));
	expect(existsSync(join(tau.project, "made"))).toBe(false);
	const { messages } = await data(rpc, { type: "get_child_messages", childId: "Scout" });
	expect(JSON.stringify(messages)).toContain("It was quiet.");
});
