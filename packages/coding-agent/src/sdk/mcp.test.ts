/** A program's session uses MCP servers if it asks for them, and ends them with itself. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, playModel } from "@tau/ai/testing";

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
	expect(() => process.kill(pid, 0)).toThrow();
});
