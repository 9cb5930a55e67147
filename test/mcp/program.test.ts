/** MCP servers in the real program: found in their files, started beside the session, searched for and called. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { openTau } from "../interactive/driver.ts";
import { launch } from "../support/launch.ts";
import { isRunning, untilEnded } from "../support/processes.ts";
import { call, configure, lastResult, model, plain, searchesServers, toolNames } from "./configured.ts";
import { serveOverEvents } from "./sse-server.ts";

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
		expect(searchesServers(tau, 0)).toBe(true);
		expect(toolNames(tau, 0)).not.toContain("mcp_plain_echo");
		// The search may find tools of Tau, too.
		const declared = toolNames(tau, 0);
		expect(toolNames(tau, 1).slice(0, declared.length + 1)).toEqual([...declared, "mcp_plain_echo"]);
		expect(lastResult(tau, 2)).toContain(`echo: hi in ${tau.project}`);
	});

	test("is callable by the exact name of its tool without a search, also while it starts", async () => {
		await using tau = await launch({ steps: [call("mcp_slow_echo", { text: "hi" }), "Done."] });
		configure(tau, { slow: plain({ MCP_DELAY_MS: "500" }) });
		expect(await tau.run(["-p", ...model, "go"])).toMatchObject({ code: 0, out: "Done.\n" });
		expect(lastResult(tau, 1)).toContain("echo: hi");
	});

	test("is waited for by a search, also when Tau has a tool that matches", async () => {
		await using tau = await launch({
			steps: [call("search_tools", { query: "open a page in a browser" }), "Done."],
		});
		const description = "Opens a page in the browser of the lab";
		configure(tau, { slow: plain({ MCP_DELAY_MS: "900", MCP_DESCRIPTION: description }) });
		await tau.run(["-p", ...model, "go"]);
		expect(lastResult(tau, 1)).toContain("mcp_slow_echo");
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
		await untilEnded(...started);
	});

	test("is used by agents too, without a second process", async () => {
		await using tau = await launch({
			steps: [
				call("mcp_plain_echo", { text: "from the session" }),
				call("task", { tasks: [{ assignment: "Ask the server." }] }),
				call("mcp_plain_echo", { text: "from the agent" }),
				"Asked.",
				"Done.",
			],
		});
		const pids = join(tau.home, "pids");
		configure(tau, { plain: plain({ MCP_PID_FILE: pids }) });
		expect(await tau.run(["-p", ...model, "go"])).toMatchObject({ code: 0, out: "Done.\n" });
		expect(lastResult(tau, 1)).toContain("echo: from the session");
		expect(lastResult(tau, 3)).toContain("echo: from the agent");
		expect(readFileSync(pids, "utf8").trim().split("\n")).toHaveLength(1);
	});

	test("does not start with --no-mcp, and not when it is disabled", async () => {
		await using tau = await launch({ steps: ["One.", "Two."] });
		configure(tau, { plain: plain() });
		await tau.run(["-p", "--no-mcp", ...model, "go"]);
		configure(tau, { plain: plain({}, { enabled: false }) });
		await tau.run(["-p", ...model, "go"]);
		expect(searchesServers(tau, 0)).toBe(false);
		expect(searchesServers(tau, 1)).toBe(false);
	});
});

test.each([["sse"], [undefined]])(
	"a server of the oldest kind with an address is used, with the type %p",
	async (type) => {
		await using server = serveOverEvents();
		await using tau = await launch({ steps: [call("mcp_old_echo", { text: "hi" }), "Done."] });
		configure(tau, { old: { url: server.url, ...(type ? { type } : {}) } });
		expect(await tau.run(["-p", ...model, "go"])).toMatchObject({ code: 0, out: "Done.\n" });
		expect(lastResult(tau, 1)).toContain("over events: hi");
	},
	180_000,
);

test("a server that speaks streamable HTTP is used although its definition says sse", async () => {
	await using server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		async fetch(request) {
			if (request.method !== "POST") return new Response("no", { status: 405 });
			const { id, method, params } = (await request.json()) as {
				id?: number;
				method: string;
				params?: { arguments?: { text?: string } };
			};
			if (id === undefined) return new Response(null, { status: 202 });
			const results: Record<string, unknown> = {
				initialize: {
					protocolVersion: "2025-06-18",
					capabilities: { tools: {} },
					serverInfo: { name: "new", version: "1" },
				},
				"tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
				"tools/call": { content: [{ type: "text", text: `over HTTP: ${params?.arguments?.text}` }] },
			};
			const result = results[method];
			const error = { code: -32_601, message: "no such method" };
			return Response.json({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) });
		},
	});
	await using tau = await launch({ steps: [call("mcp_new_echo", { text: "hi" }), "Done."] });
	configure(tau, { new: { url: server.url.href, type: "sse" } });
	expect(await tau.run(["-p", ...model, "go"])).toMatchObject({ code: 0, out: "Done.\n" });
	expect(lastResult(tau, 1)).toContain("over HTTP: hi");
});

test("a server that died is started again by the next call", async () => {
	await using tau = await launch({
		steps: [
			call("mcp_plain_echo", { text: "one" }),
			call("bash", { command: "kill -9 $(cat ../home/pids) && sleep 0.2" }),
			call("mcp_plain_echo", { text: "two" }),
			"Done.",
		],
	});
	const pids = join(tau.home, "pids");
	configure(tau, { plain: plain({ MCP_PID_FILE: pids }) });
	await tau.run(["-p", ...model, "go"]);
	expect(lastResult(tau, 1)).toContain("echo: one");
	expect(lastResult(tau, 3)).toContain("echo: two");
	expect(readFileSync(pids, "utf8").trim().split("\n").length).toBeGreaterThan(1);
});

test("a server ends when Tau is killed", async () => {
	await using tau = await launch({
		steps: [call("mcp_plain_echo", { text: "hi" }), { fault: { silent: true } }],
	});
	const pids = join(tau.home, "pids");
	configure(tau, { plain: plain({ MCP_PID_FILE: pids, MCP_MODE: "stays" }) });
	const running = tau.start(["-p", ...model, "go"]);
	await until(() => tau.played.requests.length > 1);
	running.process.kill("SIGKILL");
	await running.finished;
	const [pid = 0] = readFileSync(pids, "utf8").trim().split("\n").map(Number);
	expect(pid).toBeGreaterThan(1);
	await until(() => !isRunning(pid));
});

describe("while Tau runs", () => {
	test("a server that is added to a file is there for the next prompt, and one that is removed is gone", async () => {
		await using tau = await launch({ steps: ["One.", "Two.", "Three."] });
		await using ui = await openTau({ steps: [] }, { home: tau });
		ui.type("go\r");
		await ui.until("One.");
		const pids = join(tau.home, "pids");
		configure(tau, { plain: plain({ MCP_PID_FILE: pids }) });
		await until(() => existsSync(pids));
		ui.type("go\r");
		await ui.until("Two.");
		// The declarations stay as they were, so that the provider's cache stays valid.
		expect(searchesServers(tau, 1)).toBe(false);
		expect(tau.played.requests[1]?.rawBody).toMatch(
			/tools that `search_tools` finds have changed\. New: [^.]*plain/,
		);
		configure(tau, {});
		const [pid = 0] = readFileSync(pids, "utf8").trim().split("\n").map(Number);
		await until(() => !isRunning(pid));
		ui.type("go\r");
		await ui.until("Three.");
		expect(
			tau.played.requests[2]?.rawBody.match(/tools that `search_tools` finds have changed/g),
		).toHaveLength(2);
	});
});

test("servers that a trusted project adds and changes while Tau runs are asked about, also in a new directory", async () => {
	await using tau = await launch({ steps: ["One."] });
	await using ui = await openTau({ steps: [] }, { home: tau, args: ["--trust"], cols: 160 });
	ui.type("go\r");
	await ui.until("One.");
	const pids = join(tau.home, "pids");
	for (const argument of ["--first", "--second"]) {
		const args = [join(import.meta.dir, "plain-server.ts"), argument];
		configure(tau, { plain: plain({ MCP_PID_FILE: pids }, { args }) }, join(tau.project, ".tau/mcp.json"));
		await ui.until(`plain-server.ts ${argument}`);
		expect(existsSync(pids)).toBe(false);
		ui.press("escape");
		await ui.untilGone(`plain-server.ts ${argument}`);
	}
});

async function until(holds: () => boolean): Promise<void> {
	for (let left = 2_000; !holds(); left--) {
		if (left === 0) throw new Error("the condition never held");
		await Bun.sleep(10);
	}
}
