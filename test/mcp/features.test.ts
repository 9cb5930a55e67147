/** What servers offer beside tools, what they may ask, and whose servers start. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { openTau } from "../interactive/driver.ts";
import { isEvent, startRpc } from "../rpc/rpc-process.ts";
import { writeTestFile } from "../support/files.ts";
import { launch, root } from "../support/launch.ts";
import {
	call,
	configure,
	lastResult,
	model,
	plain,
	requestOf,
	searchesServers,
	toolNames,
} from "./configured.ts";

describe("resources and prompts", () => {
	test("a resource is read as mcp://server/uri, and listed without one", async () => {
		await using tau = await launch({
			steps: [call("read", { path: "mcp://plain/note://one" }), call("read", { path: "mcp://" }), "Done."],
		});
		configure(tau, { plain: plain() });
		await tau.run(["-p", ...model, "go"]);
		expect(lastResult(tau, 1)).toContain("the text of a note");
		expect(lastResult(tau, 2)).toContain("mcp://plain/note://one");
	});

	test("an address that the server does not list is not sent to it unasked", async () => {
		const unlisted = "mcp://plain/https://example.org/?q=secret";
		await using tau = await launch({
			steps: [call("read", { path: unlisted }), call("read", { path: "mcp://plain/note://one:1" }), "Done."],
		});
		configure(tau, { plain: plain() });
		await tau.run(["-p", ...model, "go"]);
		expect(lastResult(tau, 1)).toContain("sends https://example.org/?q=secret to the MCP server plain");
		expect(lastResult(tau, 2)).toContain("the text of a note");
	});

	test("a mention puts the resource into the prompt, and a prompt of a server is a command", async () => {
		await using tau = await launch({ steps: ["One.", "Two."] });
		configure(tau, { plain: plain() });
		await tau.run(["-p", ...model, "look at @mcp://plain/note://one", "/plain:review src/a.ts"]);
		expect(lastResult(tau, 0)).toContain("the text of a note");
		expect(lastResult(tau, 1)).toContain("Review src/a.ts please");
	});
});

test("prompts of a server are in the list of commands over RPC", async () => {
	await using tau = await launch({ steps: ["One."] });
	configure(tau, { plain: plain() });
	await using rpc = startRpc(tau, model);
	const end = Date.now() + 60_000;
	for (;;) {
		const { data } = await rpc.ask({ type: "get_commands" });
		const { commands } = data as { commands: { name: string; source: string }[] };
		const review = commands.find(({ name }) => name === "plain:review");
		if (review) return expect(review).toMatchObject({ source: "prompt", sourceInfo: { source: "mcp" } });
		// The server starts beside the session.
		if (Date.now() > end) throw new Error("The prompt was never listed.");
		await Bun.sleep(20);
	}
});

test("prompts of a server are in the slash menu, its resources are completed after an @ and by the tab key", async () => {
	await using tau = await launch({ steps: ["Reviewed.", "Read."] });
	configure(tau, { plain: plain() });
	await using ui = await openTau({ steps: [] }, { home: tau, cols: 120 });
	await ui.until("played-1");
	ui.type("/mcp\r");
	await ui.until(/plain +ready/);
	ui.press("escape");
	await ui.untilGone(/plain +ready/);
	ui.type("/plain");
	await ui.until("Reviews code");
	ui.type(":review src/a.ts");
	ui.press("enter");
	await ui.until("Reviewed.");
	expect(lastResult(tau, 0)).toContain("Review src/a.ts please");
	ui.type("look at @one");
	await ui.until("mcp://plain/note://one");
	ui.press("tab");
	await ui.until("look at @mcp://plain/note://one");
	ui.type("and mcp:");
	ui.press("tab");
	await ui.until("and mcp://plain/note://one");
	ui.press("enter");
	await ui.until("Read.");
	expect(lastResult(tau, 1)).toContain("the text of a note");
	expect(lastResult(tau, 1)).toContain("look at @mcp://plain/note://one and mcp://plain/note://one");
});

describe("calls", () => {
	test("progress is shown while a call runs", async () => {
		await using tau = await launch({ steps: [call("mcp_plain_echo", {}), "Done."] });
		configure(tau, { plain: plain({ MCP_MODE: "progress" }) });
		const { out } = await tau.run(["-p", "--mode", "json", ...model, "go"]);
		const updates = out.split("\n").filter((line) => line.includes('"tool_execution_update"'));
		expect(updates.join("")).toContain("halfway (1/2)");
	});

	test("structured content, images, audio, links and embedded resources reach the model", async () => {
		await using tau = await launch({ steps: [call("mcp_plain_echo", {}), "Done."] });
		configure(tau, { plain: plain({ MCP_MODE: "rich" }) });
		await tau.run(["-p", ...model, "go"]);
		const result = lastResult(tau, 1);
		for (const part of [
			"a text",
			"image/png",
			"audio/wav, 4 bytes: artifact://",
			"mcp://plain/note://linked",
			"embedded text",
		])
			expect(result).toContain(part);
	});

	test("a failure that the server reports is an error for the model", async () => {
		await using tau = await launch({ steps: [call("mcp_plain_echo", { fail: true }), "Done."] });
		configure(tau, { plain: plain() });
		const { out } = await tau.run(["-p", "--mode", "json", ...model, "go"]);
		expect(lastResult(tau, 1)).toContain("Error: it did not work");
		expect(out).toContain('"details":{"serverName":"plain","mcpToolName":"echo"}');
		expect(lastResult(tau, 1)).toContain('"is_error":true');
	});

	test("a tool of a server with alwaysLoad is declared at once, and one that is switched off never", async () => {
		await using tau = await launch({ steps: ["Done."] });
		configure(tau, {
			plain: plain({ MCP_TOOLS: "3", MCP_BARE: "1" }, { alwaysLoad: true, disabledTools: ["tracker_*_1"] }),
		});
		await tau.run(["-p", ...model, "go"]);
		expect(toolNames(tau, 0).filter((name) => name.startsWith("mcp_"))).toEqual([
			"mcp_plain_echo",
			"mcp_plain_bare",
			"mcp_plain_tracker_action_0",
		]);
		// Some providers refuse an object without properties.
		const bare = requestOf(tau, 0).tools.find(({ name }) => name === "mcp_plain_bare");
		expect(bare).toMatchObject({ input_schema: { type: "object", properties: {} } });
	});

	test("variables, secrets of commands and the directory of a server are resolved", async () => {
		await using tau = await launch({
			steps: [call("mcp_plain_echo", { text: "$SECRET $PLAIN $OTHER" }), "Done."],
		});
		writeTestFile(join(tau.home, "place/file"), "");
		configure(tau, {
			plain: plain(
				{
					MCP_MODE: "environment",
					SECRET: "!echo from-command",
					PLAIN: "${PLAIN_VALUE:-fallback}",
					OTHER: "A_NAME",
				},
				{ cwd: "~/place" },
			),
		});
		await tau.run(["-p", ...model, "go"], { env: { A_NAME: "by-name" } });
		expect(lastResult(tau, 1)).toContain(`from-command fallback by-name in ${join(tau.home, "place")}`);
	});
});

describe("what servers ask", () => {
	test("a form is a request to the user, and its answers have the types that the server wants", async () => {
		await using tau = await launch({ steps: [call("mcp_plain_echo", {}), "Done."] });
		configure(tau, { plain: plain({ MCP_MODE: "elicit" }) });
		await using rpc = startRpc(tau);
		await rpc.ask({ type: "prompt", message: "go" });
		for (const value of ["7", "Yes", "blue"]) {
			const frame = await rpc.until(
				({ type, answered }) => type === "extension_ui_request" && answered === undefined,
			);
			frame.answered = true;
			rpc.write({ type: "extension_ui_response", id: frame.id, value });
		}
		await rpc.until(isEvent("agent_end"));
		expect(lastResult(tau, 1)).toContain(
			JSON.stringify('{"action":"accept","content":{"count":7,"sure":true,"color":"blue"}}').slice(1, -1),
		);
	});

	test("the model answers a server only after a yes, and what it costs is counted", async () => {
		await using tau = await launch({
			steps: [call("mcp_plain_echo", {}), { answer: { blocks: [{ text: "sampled answer" }] } }, "Done."],
		});
		configure(tau, { plain: plain({ MCP_MODE: "sample" }) });
		await using rpc = startRpc(tau);
		await rpc.ask({ type: "prompt", message: "go" });
		const frame = await rpc.until(({ type }) => type === "extension_ui_request");
		expect(frame.title).toContain("The MCP server plain wants to ask");
		rpc.write({ type: "extension_ui_response", id: frame.id, value: "Ask the model" });
		await rpc.until(isEvent("agent_end"));
		expect(requestOf(tau, 1).messages.length).toBe(1);
		expect(lastResult(tau, 2)).toContain("sampled answer");
	});

	test("an answer for a server counts toward the budget of the session", async () => {
		const usage = { input: 10, output: 10 };
		const blocks = [{ toolCall: { name: "mcp_plain_echo", arguments: {} } }];
		await using tau = await launch({
			steps: [
				{ answer: { blocks, usage } },
				{ answer: { blocks: [{ text: "sampled" }], usage: { input: 2_000, output: 2_000 } } },
				"This request is over the budget.",
			],
		});
		configure(tau, { plain: plain({ MCP_MODE: "sample" }) });
		await using rpc = startRpc(tau, [...model, "--max-tokens", "3000"]);
		await rpc.ask({ type: "prompt", message: "go" });
		const frame = await rpc.until(({ type }) => type === "extension_ui_request");
		rpc.write({ type: "extension_ui_response", id: frame.id, value: "Ask the model" });
		await rpc.until(isEvent("agent_end"));
		expect(tau.played.requests).toHaveLength(2);
	});

	test("where nobody can be asked, the model is not asked either", async () => {
		await using tau = await launch({ steps: [call("mcp_plain_echo", {}), "Done."] });
		configure(tau, { plain: plain({ MCP_MODE: "sample" }) });
		await tau.run(["-p", ...model, "go"]);
		expect(tau.played.requests).toHaveLength(2);
		expect(lastResult(tau, 1)).toContain("does not let servers ask the model");
	});
});

describe("servers of a project", () => {
	test("do not start unless the project is trusted", async () => {
		await using tau = await launch({ steps: ["One.", "Two."] });
		const pids = join(tau.home, "pids");
		configure(tau, { plain: plain({ MCP_PID_FILE: pids }) }, join(tau.project, ".mcp.json"));
		const { err } = await tau.run(["-p", ...model, "go"]);
		expect(err).toMatch(/MCP servers \(.*\) of this project did not run/);
		expect(existsSync(pids)).toBe(false);
		expect(searchesServers(tau, 0)).toBe(false);
		await tau.run(["-p", "--trust", ...model, "go"]);
		expect(searchesServers(tau, 1)).toBe(true);
	});

	test("start after a yes that shows the command; another command is asked about again", async () => {
		await using tau = await launch({ steps: [call("mcp_plain_echo", { text: "hi" }), "Done."] });
		const file = join(tau.project, ".mcp.json");
		configure(
			tau,
			{ plain: plain({}, { args: [join(import.meta.dir, "plain-server.ts"), "--first"] }) },
			file,
		);
		{
			await using ui = await openTau({ steps: [] }, { home: tau, cols: 160, args: ["--auto-approve"] });
			await ui.until("Trust this project's code?");
			await ui.until("plain-server.ts --first");
			ui.press("down", "enter");
			await ui.untilGone("Trust this project's code?");
			ui.type("go\r");
			await ui.until("Done.");
		}
		expect(lastResult(tau, 1)).toContain("echo: hi");
		writeFileSync(file, readFileSync(file, "utf8").replace("--first", "--second"));
		await using again = await openTau({ steps: [] }, { home: tau, cols: 160 });
		await again.until("Trust this project's code again?");
		await again.until("plain-server.ts --second");
	});

	test("a project cannot make its own server trusted", async () => {
		await using tau = await launch({ steps: [call("mcp_plain_echo", { text: "hi" }), "Done."] });
		configure(tau, { plain: plain({}, { trust: true }) }, join(tau.project, ".mcp.json"));
		await tau.run(["-p", "--trust", "--approval-mode", "plan", ...model, "go"]);
		expect(lastResult(tau, 1)).not.toContain("echo: hi");
	});

	test("read-only hints of a server that the user trusts are believed", async () => {
		await using tau = await launch({ steps: [call("mcp_plain_echo", { text: "hi" }), "Done."] });
		configure(tau, { plain: plain({}, { trust: true }) });
		await tau.run(["-p", "--approval-mode", "plan", ...model, "go"]);
		expect(lastResult(tau, 1)).toContain("echo: hi");
	});
});

describe("beside other parts of Tau", () => {
	test("extensions see servers and their tools, and may set the active tools without losing the deferred ones", async () => {
		await using tau = await launch({
			steps: ["One.", call("mcp_plain_echo", { text: "hi" }), "Done."],
		});
		configure(tau, { plain: plain() });
		const seen = join(tau.home, "seen");
		const code = `import { appendFileSync } from "node:fs";
			export default (pi) => {
				pi.on("mcp_servers_change", ({ servers }) => appendFileSync(${JSON.stringify(seen)}, JSON.stringify(servers) + "\\n"));
				pi.on("agent_start", () => pi.setActiveTools(pi.getActiveTools()));
			};`;
		writeTestFile(join(tau.agentDir, "extensions/watch.ts"), code);
		await tau.run(["-p", ...model, "go on", "and again"]);
		expect(lastResult(tau, 2)).toContain("echo: hi");
		expect(readFileSync(seen, "utf8")).toContain('[{"name":"plain","state":"ready","tools":1}]');
	});

	test("an extension registers a server, in each session anew, and takes it away; one of a file wins", async () => {
		await using tau = await launch({
			steps: ["own", "filed", "own"]
				.map((name) => call(`mcp_${name}_echo`, { text: "hi" }))
				.flatMap((step) => [step, "Done."]),
			fallback: "Done.",
		});
		configure(tau, { filed: plain() });
		const server = JSON.stringify(plain());
		const code = `export default (pi) => {
			pi.registerMcpServer("own", ${server});
			pi.registerMcpServer("filed", { command: "no-such-program" });
			pi.registerCommand("bad", { handler: () => pi.registerMcpServer("bad", {}) });
			pi.registerCommand("end", { handler: (_, ctx) => {
				pi.unregisterMcpServer("own");
				ctx.ui.notify("registered " + pi.getMcpServers().map(({ name }) => name).join());
			} });
			pi.on("mcp_servers_change", ({ servers }, ctx) => ctx.ui.notify("servers " + servers.map(({ name }) => name).join()));
		};`;
		const file = writeTestFile(join(tau.home, "brings.ts"), code);
		await using rpc = startRpc(tau, [...model, "-e", file]);
		const answered = async (message: string): Promise<void> => {
			const from = rpc.frames.length;
			await rpc.ask({ type: "prompt", message });
			await rpc.until(isEvent("agent_end"), from);
		};
		await answered("one");
		await answered("two");
		await rpc.ask({ type: "new_session" });
		await answered("three");
		for (const request of [1, 3, 5]) expect(lastResult(tau, request)).toContain("echo: hi");
		await rpc.ask({ type: "prompt", message: "/bad" });
		const { error } = await rpc.until(isEvent("extension_error"));
		expect(error).toContain("The MCP server bad is invalid: it has neither a command nor a url.");
		const before = rpc.frames.length;
		await rpc.ask({ type: "prompt", message: "/end" });
		await rpc.until(({ message }) => message === "registered filed");
		await rpc.until(({ message }) => message === "servers filed", before);
	});

	test("rules and hooks of Claude Code name a server's tools as it does", async () => {
		await using tau = await launch({ steps: [call("mcp_plain_echo", { text: "hi" }), "Done."] });
		configure(tau, { plain: plain() });
		const settings = { permissions: { deny: ["mcp__plain__echo"] } };
		writeTestFile(join(tau.home, ".claude/settings.json"), JSON.stringify(settings));
		await tau.run(["-p", ...model, "go"]);
		expect(lastResult(tau, 1)).not.toContain("echo: hi");
		expect(lastResult(tau, 1)).toContain("mcp__plain__echo");
	});

	test("Tau is a server for itself", async () => {
		await using tau = await launch({ steps: [call("mcp_tau_read", { path: "note.txt" }), "Done."] });
		writeTestFile(join(tau.project, "note.txt"), "written here");
		configure(tau, { tau: { command: join(root, "tau"), args: ["mcp", "serve"] } });
		const { out } = await tau.run(["-p", ...model, "go"]);
		expect(out).toBe("Done.\n");
		expect(lastResult(tau, 1)).toContain("written here");
	});
});
