/** Servers stay when the session moves: a new one, an older one, a fork, one of another directory. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { isEvent, startRpc, type Frame } from "../rpc/rpc-process.ts";
import { launch } from "../support/launch.ts";
import { call, configure, lastResult, plain, until } from "./configured.ts";

test("a server keeps its process, asks in the current session, and knows its directory", async () => {
	const ask = [call("mcp_plain_echo", {}), "Done."];
	await using tau = await launch({
		steps: ["There.", ...ask, ...ask, ...ask, ...ask, "There again."],
	});
	const other = join(tau.project, "other");
	mkdirSync(other);
	await using there = startRpc({
		...tau,
		start: (args, options) => tau.start(args, { ...options, cwd: other }),
	});
	const stateOf = async (rpc: typeof there): Promise<Record<string, unknown>> =>
		(await rpc.ask({ type: "get_state" })).data as Record<string, unknown>;
	await there.ask({ type: "prompt", message: "hi" });
	await there.until(isEvent("agent_end"));
	const elsewhere = await stateOf(there);
	there.end();
	await there.running.finished;

	const [pids, roots] = [join(tau.home, "pids"), join(tau.home, "roots")];
	configure(tau, {
		plain: plain({ MCP_MODE: "elicit", MCP_PID_FILE: pids, MCP_ROOTS_FILE: roots }),
	});
	await using rpc = startRpc(tau);
	const isOpen = ({ type, answered }: Frame): boolean =>
		type === "extension_ui_request" && answered === undefined;
	const prompt = async (values: readonly string[]): Promise<void> => {
		const from = rpc.frames.length;
		await rpc.ask({ type: "prompt", message: "go" });
		for (const value of values) {
			const frame = await rpc.until(isOpen, from);
			frame.answered = true;
			rpc.write({ type: "extension_ui_response", id: frame.id, value });
		}
		await rpc.until(isEvent("agent_end"), from);
	};
	const move = async (command: object): Promise<void> =>
		expect((await rpc.ask(command)).data).toMatchObject({ cancelled: false });

	await prompt(["1", "Yes", "blue"]);
	const first = await stateOf(rpc);
	await move({ type: "new_session" });
	await prompt(["2", "Yes", "blue"]);
	await move({ type: "switch_session", sessionPath: first.sessionFile });
	await prompt(["3", "Yes", "blue"]);
	const { messages } = (await rpc.ask({ type: "get_fork_messages" })).data as {
		messages: { entryId: string }[];
	};
	await move({ type: "fork", entryId: messages.at(-1)?.entryId });
	await prompt(["4", "Yes", "blue"]);
	for (const [at, count] of [2, 4, 6, 8].map((request, index) => [request, index + 1] as const))
		expect(lastResult(tau, at)).toContain(`\\"count\\":${count}`);
	await move({ type: "switch_session", sessionPath: elsewhere.sessionFile });
	await prompt([]);
	const isKnown = (): boolean => existsSync(roots) && readFileSync(roots, "utf8").includes(`file://${other}`);
	await until("the server knows the directory", isKnown);
	expect(readFileSync(pids, "utf8").trim().split("\n")).toHaveLength(1);
});
