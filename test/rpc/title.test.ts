/** A session of a client gets a title automatically: from a small model, with a prompt that can be replaced. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { launch } from "../support/launch.ts";
import { isEvent, model, startRpc } from "./rpc-process.ts";

const withTitles = { TAU_NO_TITLE: "" };

test("after the first exchange, and it is in the list of sessions", async () => {
	await using tau = await launch({ steps: ["Hello.", "Greeting the agent"] });
	await using rpc = startRpc(tau, model, withTitles);
	await rpc.ask({ type: "prompt", message: "hi there" });
	const frame = await rpc.until(isEvent("session_info_changed"));
	expect(frame.name).toBe("Greeting the agent");
	expect(await rpc.ask({ type: "get_state" })).toMatchObject({ data: { sessionName: "Greeting the agent" } });
	expect(tau.played.requests[1]?.rawBody).toContain("hi there");
	const listed = await tau.run(["sessions", "list"]);
	expect(listed.out).toContain("Greeting the agent");
});

test("with the user's own prompt, if there is one", async () => {
	await using tau = await launch({ steps: ["Hello.", "Ave"] });
	writeFileSync(join(tau.agentDir, "TITLE_SYSTEM.md"), "Name it in Latin.");
	await using rpc = startRpc(tau, model, withTitles);
	await rpc.ask({ type: "prompt", message: "hi" });
	await rpc.until(isEvent("session_info_changed"));
	expect(tau.played.requests[1]?.rawBody).toContain("Name it in Latin.");
});

test.each([
	["the variable", { TAU_NO_TITLE: "1" }, ""],
	["the setting", withTitles, "sessionTitle: false\n"],
])("%s disables it", async (_, env, config) => {
	await using tau = await launch({ steps: ["Hello.", "Bye."] });
	writeFileSync(join(tau.agentDir, "config.yml"), config);
	await using rpc = startRpc(tau, model, env);
	await rpc.ask({ type: "prompt", message: "hi" });
	await rpc.until(isEvent("agent_end"));
	await rpc.ask({ type: "prompt", message: "and now?" });
	await rpc.until(isEvent("agent_end"), rpc.frames.length);
	expect(tau.played.requests).toHaveLength(2);
	expect(tau.played.requests[1]?.rawBody).toContain("and now?");
});

test("print mode never requests one", async () => {
	await using tau = await launch({ steps: ["Hello.", "never"] });
	expect(await tau.run(["-p", "hi", ...model], { env: withTitles })).toMatchObject({
		code: 0,
		out: "Hello.\n",
	});
	expect(tau.played.requests).toHaveLength(1);
});
