/** `/mcp` at the real program: the servers with their state, tools and cost, and what can be done with them. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { bun, call, configure, faulty, isRunning, pidIn, until } from "../mcp/configured.ts";
import { serveWithLogin } from "../mcp/oauth-server.ts";
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
});

test("a search says for which server it waits", async () => {
	await using home = await launch({ steps: [call("search_tools", { query: "echo" }), "Done."] });
	configure(home, { hung: faulty(["silent"]) });
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("look\r");
	await tau.until("Waiting for the MCP server hung");
	tau.press("escape");
	await tau.untilGone("esc to interrupt");
});

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
});

test("/mcp reload reads the files of other programs again, and /mcp remove ends the server", async () => {
	await using home = await launch({ steps: [] });
	const pid = join(home.home, "pid");
	configure(home, { mine: faulty([], { PID_FILE: pid }) });
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	await until("the server runs", () => pidIn(pid) > 0);
	configure(home, { theirs: faulty([]) }, join(home.home, ".claude.json"));
	tau.type("/mcp reload\r");
	await tau.until("Read the files again: 2 servers.");
	tau.type("/mcp test theirs\r");
	await tau.until(/theirs is ready: 2 tools/);
	tau.type("/mcp remove theirs\r");
	await tau.until("which Tau does not write");
	tau.type("/mcp rm mine\r");
	await tau.until("Removed mine.");
	await until("the server ends", () => !isRunning(pidIn(pid)));
	expect(JSON.parse(readFileSync(join(home.agentDir, "mcp.json"), "utf8"))).toEqual({ mcpServers: {} });
});

test("a server that never answers is cancelled, and the next try does not wait for the first", async () => {
	await using home = await launch({ steps: [] });
	configure(home, { hung: faulty(["silent"]) });
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	for (let run = 0; run < 2; run++) {
		tau.type("/mcp test hung\r");
		await tau.until("mcp test hung …");
		tau.press("enter");
		await tau.untilGone("mcp test hung …");
	}
	await tau.until("mcp test hung was cancelled.");
	tau.type("/mcp\r");
	await tau.until(/hung +failed/);
	await tau.until("it was cancelled");
});

test("/mcp reauth logs in with the browser; a login that was cancelled holds up no other", async () => {
	await using server = serveWithLogin();
	await using home = await launch({ steps: [] });
	configure(home, { login: { url: server.url } });
	const browser = join(home.home, "browser");
	const followed = `#!/bin/sh\nexec ${bun} ${join(import.meta.dir, "../mcp/follow-redirects.ts")} "$1"\n`;
	writeFileSync(browser, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
	await using tau = await openTau({ steps: [] }, { home, env: { BROWSER: browser } });
	await tau.until("played-1");
	tau.type("/mcp reauth login\r");
	await tau.until("mcp reauth login …");
	tau.press("escape");
	await tau.until("mcp reauth login was cancelled.");
	expect(server.logins).toBe(0);
	writeFileSync(browser, followed);
	tau.type("/mcp reauth login\r");
	await tau.until(/login is ready: 1 tool,/);
	expect(server.logins).toBe(1);
	tau.type("/mcp unauth login\r");
	await tau.until("Logged out of login.");
});

test("/mcp search adds what it finds, and a token of /mcp add is not shown in the transcript", async () => {
	await using home = await launch({ steps: [] });
	await using server = serveWithLogin();
	await using registry = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch: ({ url }) =>
			Response.json(
				new URL(url).pathname === "/servers"
					? { servers: [{ qualifiedName: "acme/mail", description: "Sends mail" }] }
					: { deploymentUrl: server.url },
			),
	});
	const env = { SMITHERY_API_KEY: "k", SMITHERY_API_URL: `http://127.0.0.1:${registry.port}` };
	await using tau = await openTau({ steps: [] }, { home, env });
	await tau.until("played-1");
	tau.type("/mcp search mail\r");
	await tau.until("Sends mail");
	tau.press("enter");
	await tau.until("A short name for it");
	tau.press("enter");
	await tau.until('Failed to connect to "mail": it wants a login: /mcp reauth mail');
	tau.type(`/mcp add other --url ${server.url} --token hunter2\r`);
	await tau.until("Added other.");
	expect(tau.screen()).not.toContain("hunter2");
	const file = JSON.parse(readFileSync(join(home.agentDir, "mcp.json"), "utf8")) as unknown;
	expect(file).toEqual({
		mcpServers: {
			mail: { type: "http", url: server.url },
			other: { type: "http", url: server.url, headers: { Authorization: "Bearer hunter2" } },
		},
	});
});
