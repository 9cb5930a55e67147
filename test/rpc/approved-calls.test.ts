/** In the mode `ask`, whatever the user says yes to is done: every tool that changes something, with and without a sandbox. */
import { describe, expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { launch } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { isEvent, model, startRpc, type Frame } from "./rpc-process.ts";

function call(name: string, args: Record<string, unknown>): Scenario["steps"][number] {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

interface Approval extends Frame {
	request: { id: string; kind: string };
}

const notebook = {
	cells: [{ cell_type: "code", source: ["a = 1"], metadata: {}, outputs: [], execution_count: null }],
	metadata: {},
	nbformat: 4,
	nbformat_minor: 5,
};

const kinds: readonly (readonly [name: string, sandbox: string])[] = [
	["in the sandbox", "auto"],
	["without a sandbox", "off"],
];

describe.each(kinds)("%s", (_, sandbox) => {
	needs("bash")("every call that was approved once has its effect", async () => {
		const temporary = `/tmp/tau-approved-${crypto.randomUUID()}.txt`;
		await using tau = await launch({
			steps: [
				call("write", { path: "made.txt", content: "made\n" }),
				call("write", { path: "deep/er/made.txt", content: "deeper\n" }),
				call("write", { path: "../outside/made.txt", content: "outside\n" }),
				call("write", { path: temporary, content: "temporary\n" }),
				call("edit", { path: "old.txt", edits: [{ oldText: "one", newText: "two" }] }),
				call("bash", { command: `cat ${temporary} > copied.txt; rm ${temporary}` }),
				call("notebook", { path: "n.ipynb", action: "edit", cell_index: 0, content: "a = 2" }),
				call("ast_edit", { pattern: "console.log($A)", rewrite: "log($A)", path: "a.js" }),
				call("resolve", { action: "apply", reason: "as asked" }),
				"Done.",
			],
		});
		mkdirSync(join(tau.project, "../outside"));
		writeFileSync(join(tau.project, "old.txt"), "one\n");
		writeFileSync(join(tau.project, "a.js"), "console.log(1);\n");
		writeFileSync(join(tau.project, "n.ipynb"), JSON.stringify(notebook));
		const env = { TAU_SANDBOX: sandbox, TAU_CONTAINER: "none" };
		await using rpc = startRpc(tau, [...model, "--approval-mode", "ask"], env);
		await rpc.ask({ type: "set_request_kinds", kinds: ["approval"] });
		await rpc.ask({ type: "prompt", message: "go" });
		let asked = 0;
		for (let from = 0; ; from = rpc.frames.length) {
			const frame = await rpc.until(
				(each) => each.type === "request_opened" || isEvent("agent_end")(each),
				from,
			);
			if (frame.type !== "request_opened") break;
			asked++;
			const { id: requestId } = (frame as Approval).request;
			await rpc.ask({ type: "answer_request", requestId, answer: { choice: "once" } });
		}
		const read = (path: string): string => readFileSync(join(tau.project, path), "utf8");
		expect(asked).toBeGreaterThanOrEqual(8);
		expect(read("made.txt")).toBe("made\n");
		expect(read("deep/er/made.txt")).toBe("deeper\n");
		expect(read("../outside/made.txt")).toBe("outside\n");
		expect(read("old.txt")).toBe("two\n");
		expect(read("copied.txt")).toBe("temporary\n");
		expect(read("n.ipynb")).toContain("a = 2");
		expect(read("a.js")).toBe("log(1);\n");
		expect(existsSync(temporary)).toBe(false);
	});
});
