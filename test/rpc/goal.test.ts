/** A client sets a goal, follows it and takes it back. */
import { expect, test } from "bun:test";

import { launch } from "../support/launch.ts";
import { startRpc } from "./rpc-process.ts";

test("the model works until the goal of a client is reached", async () => {
	await using tau = await launch({
		steps: [
			"I am done.",
			{ answer: { blocks: [{ toolCall: { name: "bash", arguments: { command: "touch finished" } } }] } },
			"Now I am.",
			"Hello.",
		],
	});
	await using rpc = startRpc(tau);
	expect(await rpc.ask({ type: "get_goal" })).toMatchObject({ data: { goal: null } });
	await rpc.ask({ type: "set_goal", check: "test -e finished" });
	expect(await rpc.ask({ type: "get_goal" })).toMatchObject({
		data: { goal: { check: "test -e finished", attempts: 0, maxAttempts: 10 } },
	});
	await rpc.ask({ type: "prompt", message: "finish it" });
	await rpc.until((frame) => frame.type === "notice" && String(frame.message).includes("Goal reached"));
	expect(tau.played.requests).toHaveLength(3);
	expect(await rpc.ask({ type: "get_goal" })).toMatchObject({ data: { goal: null } });
	await rpc.ask({ type: "set_goal", check: "false" });
	expect(await rpc.ask({ type: "set_goal" })).toMatchObject({ success: true });
	expect(await rpc.ask({ type: "get_goal" })).toMatchObject({ data: { goal: null } });
});
