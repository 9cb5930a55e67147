/** A server that others wrote sends the user to pages, and runs a task that asks: both generations of asking work. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { isEvent, startRpc } from "../rpc/rpc-process.ts";
import { writeTestFile } from "../support/files.ts";
import { launch } from "../support/launch.ts";
import { bun, call, configure, lastResult, model, until } from "./configured.ts";

const everything = fileURLToPath(
	import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);

test("pages that a server asks for are opened after a yes, also before a call; a task asks and reports", async () => {
	const url = "https://example.test/pay?id=1";
	const visit = (errorPath: boolean) =>
		call("mcp_all_trigger_url_elicitation", { url, message: "Pay first", errorPath });
	await using tau = await launch({
		steps: [
			visit(false),
			visit(false),
			visit(true),
			call("mcp_all_simulate_research_query", { topic: "python", ambiguous: true }),
			"Done.",
		],
	});
	configure(tau, { all: { command: bun, args: [everything] } });
	const opened = join(tau.home, "opened");
	const browser = join(tau.home, "browser");
	writeTestFile(browser, `#!/bin/sh\necho "$1" >> ${opened}\n`);
	await using rpc = startRpc(tau, model, { BROWSER: `sh ${browser}` });
	const shown: string[] = [];
	const answer = async (value: string): Promise<void> => {
		const frame = await rpc.until(
			({ type, answered }) => type === "extension_ui_request" && answered === undefined,
		);
		frame.answered = true;
		shown.push(String(frame.title));
		rpc.write({ type: "extension_ui_response", id: frame.id, value });
	};
	await rpc.ask({ type: "prompt", message: "go" });
	await answer("No");
	await answer("Open the page");
	// The error: a page that the call needs first, then the call again.
	for (const value of ["Open the page", "Continue", "Open the page"]) await answer(value);
	await answer("Programming language");
	await rpc.until(isEvent("agent_end"));
	expect(shown[0]).toContain("The MCP server all asks you to open a page on example.test: Pay first");
	expect(shown[0]).toContain(url);
	expect(shown[3]).toContain("Continue when you are done on modelcontextprotocol.io");
	expect(lastResult(tau, 1)).toContain("User declined to open the URL");
	for (const at of [2, 3]) expect(lastResult(tau, at)).toContain("User completed the URL elicitation flow");
	const lines = (): string[] => (existsSync(opened) ? readFileSync(opened, "utf8").trim().split("\n") : []);
	await until("the pages are opened", () => lines().length === 3);
	expect(lines().toSorted()).toEqual([url, url, "https://modelcontextprotocol.io"].toSorted());
	expect(lastResult(tau, 4)).toContain("Research Report");
	expect(rpc.frames.some((frame) => JSON.stringify(frame).includes("Gathering"))).toBe(true);
});
