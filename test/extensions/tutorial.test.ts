/** The tutorial of docs/extensions.md is true: the code that it builds does what it says. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { startRpc } from "../rpc/rpc-process.ts";
import { launch, root } from "../support/launch.ts";

const page = readFileSync(join(root, "docs/extensions.md"), "utf8");
const tutorial = page.slice(
	page.indexOf("## Your first extension"),
	page.indexOf("## Where extensions are found"),
);
const blocks = [...tutorial.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
const whole = blocks.at(-1) ?? "";

test("each step is part of the whole file", () => {
	expect(blocks).toHaveLength(5);
	const lines = new Set(whole.split("\n").map((line) => line.trim()));
	const missing = blocks.flatMap((block) => block.split("\n")).filter((line) => !lines.has(line.trim()));
	expect(missing).toEqual([]);
});

test("the file greets, counts across a restart and guards, with the built-in model", async () => {
	await using tau = await launch({ steps: [] });
	const file = join(tau.home, "hello.ts");
	writeFileSync(file, whole);
	const args = ["--model", "tau/demo", "-e", file];
	const greet = 'call greet {"name": "Ada"}';
	{
		await using rpc = startRpc(tau, args);
		await rpc.ask({ type: "prompt", message: "/hello Ada" });
		await rpc.until(({ method, message }) => method === "notify" && message === "Hello Ada");
		await rpc.ask({ type: "prompt", message: greet });
		await rpc.until((frame) => JSON.stringify(frame).includes("Hello Ada, you are number 1"));
		await rpc.until(({ type }) => type === "agent_end");
		rpc.end();
		await rpc.running.finished;
	}
	await using rpc = startRpc(tau, [...args, "--continue"]);
	await rpc.ask({ type: "prompt", message: greet });
	await rpc.until((frame) => JSON.stringify(frame).includes("Hello Ada, you are number 2"));
	await rpc.until(({ type }) => type === "agent_end");
	await rpc.ask({ type: "prompt", message: 'call bash {"command": "rm -rf nothing"}' });
	const asked = await rpc.until(({ method }) => method === "confirm");
	rpc.write({ type: "extension_ui_response", id: asked.id, confirmed: false });
	await rpc.until((frame) => JSON.stringify(frame).includes("The user does not want that deleted."));
});
