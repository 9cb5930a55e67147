/** A program's session uses MCP servers if it asks for them, and ends them with itself. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, playModel } from "@tau/ai/testing";

import { untilEnded } from "../../../../test/support/processes.ts";
import { createAgentSession } from "./create-agent-session.ts";

const server = join(import.meta.dir, "../../../../test/mcp/plain-server.ts");
let base = "";
beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "tau-sdk-mcp-"));
	for (const name of ["agent", "project"]) mkdirSync(join(base, name));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test.each([[true], [false]])("with mcp: %p", async (mcp) => {
	const call = { answer: { blocks: [{ toolCall: { name: "mcp_plain_echo", arguments: { text: "hi" } } }] } };
	await using played = await playModel({ steps: [call, "Done."] });
	const pids = join(base, "pids");
	const env = { MCP_PID_FILE: pids };
	const mcpServers = { plain: { command: process.execPath, args: [server], env } };
	writeFileSync(join(base, "agent/models.yml"), modelsYml(played, { api: "anthropic-messages" }));
	writeFileSync(join(base, "agent/mcp.json"), JSON.stringify({ mcpServers }));
	{
		await using tau = await createAgentSession({
			cwd: join(base, "project"),
			agentDir: join(base, "agent"),
			model: "played/played-1",
			approvalMode: "full",
			mcp,
		});
		await tau.session.prompt({ text: "go" });
	}
	const result = played.requests[1]?.rawBody ?? "";
	if (!mcp) {
		expect(result).toContain('There is no tool \\"mcp_plain_echo\\"');
		return;
	}
	expect(result).toContain("echo: hi");
	const [pid = 0] = readFileSync(pids, "utf8").trim().split("\n").map(Number);
	await untilEnded(pid);
});

const calling = (name: string, args: Record<string, unknown>) => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});

test("an agent uses the servers of its session, deferred in the same way, and a question names it", async () => {
	const steps = [
		calling("mcp_plain_echo", { text: "warm" }),
		calling("task", { tasks: [{ assignment: "use the server", name: "Scout" }] }),
		calling("search_tools", { query: "echo" }),
		calling("mcp_plain_echo", { text: "from an agent" }),
		"Said.",
		"Done.",
		calling("mcp_plain_echo", { text: "not in its list" }),
		"Denied.",
	];
	await using played = await playModel({ steps });
	const mcpServers = { plain: { command: process.execPath, args: [server] } };
	writeFileSync(join(base, "agent/models.yml"), modelsYml(played, { api: "anthropic-messages" }));
	writeFileSync(join(base, "agent/mcp.json"), JSON.stringify({ mcpServers }));
	await using tau = await createAgentSession({
		cwd: join(base, "project"),
		agentDir: join(base, "agent"),
		model: "played/played-1",
		approvalMode: "ask",
		mcp: true,
	});
	const asking: (string | undefined)[] = [];
	using _user = tau.session.host.requests.connect({
		kinds: new Set(["approval"]),
		open(request) {
			if (request.kind !== "approval") return;
			asking.push(request.agent);
			const choice = request.choices.find(({ allows }) => allows);
			tau.session.host.answer(request.id, choice && { choice: choice.id });
		},
	});
	await tau.session.prompt({ text: "go" });
	const declares = (at: number, name: string): boolean =>
		played.requests[at]?.rawBody.includes(`"name":"${name}"`) ?? false;
	expect([declares(2, "mcp_plain_echo"), declares(2, "search_tools")]).toEqual([false, true]);
	expect(declares(3, "mcp_plain_echo")).toBe(true);
	expect(played.requests[4]?.rawBody).toContain("echo: from an agent");
	expect(asking).toEqual([undefined, "Scout"]);

	const narrow = { name: "Narrow", tools: ["read", "mcp__plain__other"] };
	await using child = await tau.session.host.children.spawn(narrow, new AbortController().signal);
	const admission = await child.host.submit({ text: "use it" });
	if (admission.kind === "begun") await admission.done;
	expect(played.requests[7]?.rawBody).toContain('There is no tool \\"mcp_plain_echo\\"');
});
