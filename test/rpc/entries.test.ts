/** The commands of RPC that show what a session holds: its entries, its tree, and what is queued. */
import { expect, test } from "bun:test";

import { launch } from "../support/launch.ts";
import { startRpc, type RpcProcess } from "./rpc-process.ts";

async function data(rpc: RpcProcess, command: object): Promise<Record<string, unknown>> {
	const response = await rpc.ask(command);
	expect(response).toMatchObject({ success: true });
	return response.data as Record<string, unknown>;
}

test("a client gets queued messages back, and learns how a model can think", async () => {
	await using tau = await launch({ steps: ["One."] });
	await using rpc = startRpc(tau);
	await rpc.ask({ type: "steer", message: "left" });
	await rpc.ask({ type: "follow_up", message: "at last" });
	expect(await data(rpc, { type: "clear_queue" })).toMatchObject({
		steering: ["left"],
		followUp: ["at last"],
	});
	expect(await data(rpc, { type: "get_state" })).toMatchObject({ pendingMessageCount: 0 });
	expect(await data(rpc, { type: "get_available_thinking_levels" })).toEqual({ levels: ["off"] });
});

test("a session is listed entry by entry, from any entry on, and as a tree", async () => {
	await using tau = await launch({ steps: ["One."] });
	await using rpc = startRpc(tau);
	expect(await data(rpc, { type: "get_entries" })).toEqual({ entries: [], leafId: null });
	await rpc.ask({ type: "prompt", message: "alpha" });
	await rpc.until(({ type }) => type === "agent_end");
	const all = (await data(rpc, { type: "get_entries" })) as { entries: { id: string }[]; leafId: string };
	expect(all.entries.map(({ id }) => id)).toContain(all.leafId);
	const since = all.entries.at(-3)?.id;
	expect(await data(rpc, { type: "get_entries", since })).toEqual({
		...all,
		entries: all.entries.slice(-2),
	});
	expect(await rpc.ask({ type: "get_entries", since: "none" })).toMatchObject({
		success: false,
		error: "The session has no entry none.",
	});
	const { tree, leafId } = await data(rpc, { type: "get_tree" });
	expect(leafId).toBe(all.leafId);
	expect(tree).toMatchObject([{ entry: all.entries[0], children: [{ entry: all.entries[1] }] }]);
});
