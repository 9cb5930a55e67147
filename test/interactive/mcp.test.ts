/** `/mcp` at the real program: the servers with their state, tools and cost, and what can be done with them. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { bun, configure, faulty } from "../mcp/configured.ts";
import { launch } from "../support/launch.ts";
import { openTau } from "./driver.ts";

const faultServer = join(import.meta.dir, "../support/mcp/fault-server.ts");

test("/mcp lists the servers and follows their state; one is shown, switched off and on", async () => {
	await using home = await launch({ steps: [] });
	configure(home, { good: faulty([]), broken: faulty(["die-at-once"]) });
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("/mcp\r");
	await tau.until(/good +ready +2 tools +0 tokens/);
	await tau.until(/broken +(?:failed|starting)/);
	tau.type("good");
	await tau.untilGone(/broken +(?:failed|starting)/);
	tau.press("enter");
	await tau.until("Show tools, cost and log");
	tau.press("enter");
	await tau.until(/mcp_good_echo +\d+ tokens/);
	tau.type("/mcp disable good\r");
	await tau.until("Disabled good.");
	tau.type("/mcp test good\r");
	await tau.until("Run /mcp enable good first.");
	tau.type("/mcp enable good\r");
	await tau.until("Enabled good.");
	tau.type("/mcp show nothing\r");
	await tau.until('There is no MCP server "nothing".');
}, 60_000);

test("/mcp add asks for what it needs, connects, and writes the file", async () => {
	await using home = await launch({ steps: [] });
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("/mcp\r");
	await tau.until("No MCP servers are configured");
	tau.type("/mcp add\r");
	await tau.until("What is it?");
	tau.press("enter");
	await tau.until("Its command, with arguments");
	tau.type(`${bun} ${faultServer}\r`);
	await tau.until("A short name for it");
	tau.type("mine\r");
	await tau.until("Where should it be available?");
	tau.press("enter");
	await tau.until(/mine is ready: 2 tools/);
	const file = JSON.parse(readFileSync(join(home.agentDir, "mcp.json"), "utf8")) as unknown;
	expect(file).toEqual({ mcpServers: { mine: { command: bun, args: [faultServer] } } });
}, 60_000);
