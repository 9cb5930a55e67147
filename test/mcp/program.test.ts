/** MCP servers in the real program: found in their files, started beside the session, searched for and called. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";
import { call, configure, lastResult, model, plain, toolNames } from "./configured.ts";

describe("a server of the user's file", () => {
	test("is searched for, called, and its tool declared behind the others", async () => {
		await using tau = await launch({
			steps: [
				call("search_tools", { query: "say something" }),
				call("mcp_plain_echo", { text: "hi" }),
				"Done.",
			],
		});
		configure(tau, { plain: plain() });
		expect(await tau.run(["-p", ...model, "go"])).toMatchObject({ code: 0, out: "Done.\n", err: "" });
		expect(toolNames(tau, 0)).toContain("search_tools");
		expect(toolNames(tau, 0)).not.toContain("mcp_plain_echo");
		expect(toolNames(tau, 1)).toEqual([...toolNames(tau, 0), "mcp_plain_echo"]);
		expect(lastResult(tau, 2)).toContain(`echo: hi in ${tau.project}`);
	});

	test("is callable by the exact name of its tool without a search, also while it starts", async () => {
		await using tau = await launch({ steps: [call("mcp_slow_echo", { text: "hi" }), "Done."] });
		configure(tau, { slow: plain({ MCP_DELAY_MS: "500" }) });
		expect(await tau.run(["-p", ...model, "go"])).toMatchObject({ code: 0, out: "Done.\n" });
		expect(lastResult(tau, 1)).toContain("echo: hi");
	});

	test("with 200 tools adds at most 300 tokens to the first request", async () => {
		await using tau = await launch({ steps: ["One.", "Two."] });
		await tau.run(["-p", ...model, "go"]);
		configure(tau, { tracker: plain({ MCP_TOOLS: "200" }) });
		await tau.run(["-p", ...model, "go"]);
		const [without = "", withTools = ""] = tau.played.requests.map(({ rawBody }) => rawBody);
		expect((withTools.length - without.length) / 4).toBeLessThan(300);
		expect(withTools.length).toBeGreaterThan(without.length);
	});

	test("ends with the session, also when it ignores a closed input", async () => {
		await using tau = await launch({ steps: [call("mcp_plain_echo", { text: "hi" }), "Done."] });
		const pids = join(tau.home, "pids");
		configure(tau, { plain: plain({ MCP_PID_FILE: pids, MCP_MODE: "stays" }) });
		await tau.run(["-p", ...model, "go"]);
		const started = readFileSync(pids, "utf8").trim().split("\n").map(Number);
		expect(started.length).toBeGreaterThan(0);
		for (const pid of started) expect(() => process.kill(pid, 0)).toThrow();
	});

	test("does not start with --no-mcp, and not when it is disabled", async () => {
		await using tau = await launch({ steps: ["One.", "Two."] });
		configure(tau, { plain: plain() });
		await tau.run(["-p", "--no-mcp", ...model, "go"]);
		configure(tau, { plain: plain({}, { enabled: false }) });
		await tau.run(["-p", ...model, "go"]);
		expect(toolNames(tau, 0)).not.toContain("search_tools");
		expect(toolNames(tau, 1)).not.toContain("search_tools");
	});
});
