/** Two sessions at once in one project: each takes back its own changes, and neither loses what was allowed in the other. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";
import { model, startRpc, type Frame, type RpcProcess } from "./rpc-process.ts";

const bash = (command: string) => ({
	answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] },
});

async function data<T>(rpc: RpcProcess, command: object): Promise<T> {
	const response = await rpc.ask(command);
	expect(response).toMatchObject({ success: true });
	return (response as Frame & { data: T }).data;
}

async function prompt(rpc: RpcProcess): Promise<void> {
	const after = rpc.frames.length;
	await data(rpc, { type: "prompt", message: "go" });
	await rpc.until(({ type }) => type === "agent_end", after);
}

test("what the other session changed is a conflict, and each redo is its own", async () => {
	await using tau = await launch({
		steps: [bash("echo first > a.txt; echo first > b.txt"), "Done.", bash("echo second > a.txt"), "Done."],
	});
	const file = (name: string): string => readFileSync(join(tau.project, name), "utf8");
	for (const name of ["a.txt", "b.txt"]) writeFileSync(join(tau.project, name), "mine\n");
	await using one = startRpc(tau);
	await using two = startRpc(tau);
	await prompt(one);
	await prompt(two);
	const entryOf = async (rpc: RpcProcess): Promise<string | undefined> =>
		(await data<{ points: { entryId: string }[] }>(rpc, { type: "get_rewind_points" })).points[0]?.entryId;
	const back = await data(one, { type: "rewind", entryId: await entryOf(one), restore: "files" });
	expect(back).toMatchObject({
		files: { restored: ["b.txt"], skipped: [{ path: "a.txt", conflict: "changed" }] },
	});
	expect([file("a.txt"), file("b.txt")]).toEqual(["second\n", "mine\n"]);
	await data(two, { type: "rewind", entryId: await entryOf(two), restore: "files" });
	expect(file("a.txt")).toBe("first\n");
	await data(one, { type: "rewind", entryId: await entryOf(one), restore: "files" });
	expect(file("a.txt")).toBe("mine\n");
});

test("what one allows for the project counts in the other, and is revoked in both", async () => {
	const command = "node -e 1; touch made";
	await using tau = await launch({
		steps: [bash(command), "Done.", bash(command), "Done.", bash(command), "Done."],
	});
	const env = { TAU_SANDBOX: "off", TAU_CONTAINER: "none" };
	const asking = [...model, "--approval-mode", "ask"];
	await using one = startRpc(tau, asking, env);
	await using two = startRpc(tau, asking, env);
	for (const rpc of [one, two]) await rpc.ask({ type: "set_request_kinds", kinds: ["approval"] });
	const isQuestion = (frame: Frame): boolean => frame.type === "request_opened";
	await one.ask({ type: "prompt", message: "go" });
	const { request } = (await one.until(isQuestion)) as Frame & { request: { id: string } };
	await one.ask({ type: "answer_request", requestId: request.id, answer: { choice: "project" } });
	await one.until(({ type }) => type === "agent_end");
	await prompt(two);
	expect(two.frames.some(isQuestion)).toBe(false);
	const { grants } = await data<{ grants: { id: string }[] }>(two, { type: "list_grants" });
	for (const { id } of grants) await data(two, { type: "revoke_grant", grantId: id });
	const after = one.frames.length;
	await one.ask({ type: "prompt", message: "go" });
	expect(await one.until(isQuestion, after)).toMatchObject({ type: "request_opened" });
});
