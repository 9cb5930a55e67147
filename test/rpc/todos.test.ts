/** A client reads the todo list, replaces it, and the model learns of it. */
import { expect, test } from "bun:test";

import { launch } from "../support/launch.ts";
import { isEvent, startRpc } from "./rpc-process.ts";

const list = (...phases: { phase: string; items: string[] }[]): object => ({
	answer: { blocks: [{ toolCall: { name: "todo", arguments: { ops: [{ op: "init", list: phases }] } } }] },
});

test("a client replaces the list, and the model reads of it with the next prompt", async () => {
	await using tau = await launch({ steps: [list({ phase: "Work", items: ["alpha"] }), "Listed.", "Seen."] });
	await using rpc = startRpc(tau);
	expect(await rpc.ask({ type: "get_todos" })).toMatchObject({ data: { phases: [] } });
	await rpc.ask({ type: "prompt", message: "make a list" });
	await rpc.until(isEvent("agent_end"));
	const alpha = { name: "Work", tasks: [{ content: "alpha", status: "in_progress" }] };
	expect(await rpc.ask({ type: "get_todos" })).toMatchObject({ data: { phases: [alpha] } });

	const wrong = [{ name: "Work", tasks: [{ content: " ", status: "pending" }] }];
	expect(await rpc.ask({ type: "set_todos", phases: wrong })).toMatchObject({ success: false });
	expect(await rpc.ask({ type: "set_todos", phases: [{ name: "Work" }] })).toMatchObject({ success: false });
	expect(await rpc.ask({ type: "get_todos" })).toMatchObject({ data: { phases: [alpha] } });

	const tasks = [
		{ content: "alpha", status: "completed" },
		{ content: "beta", status: "pending" },
	];
	const answer = await rpc.ask({ type: "set_todos", phases: [{ name: "Work", tasks }] });
	const kept = [{ name: "Work", tasks: [tasks[0], { content: "beta", status: "in_progress" }] }];
	expect(answer).toMatchObject({ success: true, data: { phases: kept } });
	expect(await rpc.ask({ type: "get_todos" })).toMatchObject({ data: { phases: kept } });
	const before = rpc.frames.length;
	await rpc.ask({ type: "prompt", message: "go on" });
	await rpc.until(isEvent("agent_end"), before);
	expect(tau.played.requests[2]?.rawBody).toMatch(/The user has edited the todo list.*\[x\] alpha.*beta/);
});
