/** `tau mcp` on the command line: servers are added, tried, switched off and removed in Tau's own files. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import type { McpServerInfo } from "@tau/resources/mcp";

import { writeTestFile } from "../support/files.ts";
import { launch, type Launched } from "../support/launch.ts";
import { bun, configure, faulty, isRunning, pidIn } from "./configured.ts";

const faultServer = join(import.meta.dir, "../support/mcp/fault-server.ts");

async function mcp(tau: Launched, ...words: string[]): Promise<string> {
	const { code, out, err } = await tau.run(["mcp", ...words]);
	return `${out}${err}${code === 0 ? "" : `(${code})`}`;
}

function stored(tau: Launched): Record<string, unknown> {
	const text = readFileSync(join(tau.agentDir, "mcp.json"), "utf8");
	return (JSON.parse(text) as { mcpServers: Record<string, unknown> }).mcpServers;
}

test("a server is added, listed, shown, tried, switched off and removed, and leaves no process", async () => {
	await using tau = await launch({ steps: [] });
	expect(await mcp(tau, "list")).toContain("No MCP servers");
	const pid = join(tau.home, "pid");
	const added = await mcp(tau, "add", "good", "--env", `PID_FILE=${pid}`, "--", bun, faultServer, "torn");
	expect(added).toContain("Added good");
	expect(stored(tau).good).toEqual({ command: bun, args: [faultServer, "torn"], env: { PID_FILE: pid } });
	// It may contain secrets.
	expect(statSync(join(tau.agentDir, "mcp.json")).mode & 0o077).toBe(0);
	expect(existsSync(pid)).toBe(false);
	expect(await mcp(tau, "list")).toMatch(/^good +ready +2 tools/);
	expect(await mcp(tau, "show", "good")).toMatch(/good: ready[^]*mcp_good_echo +\d+ tokens/);
	expect(await mcp(tau, "test", "good")).toMatch(/good is ready: 2 tools, protocol 2025-11-25, \d+ ms/);
	expect(isRunning(pidIn(pid))).toBe(false);
	expect(await mcp(tau, "disable", "good")).toBe("Disabled good.\n");
	expect(await mcp(tau, "list")).toMatch(/^good +disabled/);
	expect(await mcp(tau, "test", "good")).toContain('Server "good" is disabled. Run /mcp enable good first.');
	expect(await mcp(tau, "enable", "good")).toBe("Enabled good.\n");
	expect(await mcp(tau, "rm", "good")).toBe("Removed good.\n");
	expect(stored(tau)).toEqual({});
});

test("an address is added with its token and headers, for this project", async () => {
	await using tau = await launch({ steps: [] });
	const url = "https://example.org/mcp";
	await mcp(
		tau,
		"add",
		"web",
		"--project",
		"--url",
		url,
		"--token",
		"t0k",
		"--header",
		"X-Team: a",
		"--timeout",
		"5000",
	);
	const file = join(tau.project, ".tau/mcp.json");
	expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
		mcpServers: {
			web: { type: "http", url, headers: { "X-Team": "a", Authorization: "Bearer t0k" }, timeout: 5000 },
		},
	});
	// The list does not show the token.
	expect(await mcp(tau, "list", "--json")).not.toContain("t0k");
});

test("what is wrong is said in one line", async () => {
	await using tau = await launch({ steps: [] });
	configure(tau, { good: faulty([]) });
	const cases: [words: string[], message: string][] = [
		[["add", "x", "--url", "http://a/", "--", "foo"], "Use either --url or -- <command...>, not both."],
		[["add", "x", "--token", "t", "--", "foo"], "--token requires --url (HTTP/SSE transport)."],
		[["add", "x"], "Give a --url, or a command"],
		[["add", "bad name!", "--", "foo"], "Invalid server config: the name of a server consists of letters"],
		[["add", "good", "--", "foo"], 'Server "good" already exists in'],
		[["add", "x", "--url", "nonsense"], "is not a URL"],
		[["show", "god"], 'There is no MCP server "god". Did you mean good?'],
		[["reauth", "good"], "it has no login"],
		[["search", "mail"], "set SMITHERY_API_KEY"],
	];
	for (const [words, message] of cases) expect(await mcp(tau, ...words)).toContain(message);
});

test("tools with definitions that are not valid are left out and named; the others of the server work", async () => {
	await using tau = await launch({ steps: [] });
	configure(tau, { x: faulty(["bad-schema"]) });
	expect(await mcp(tau, "test", "x")).toContain("x is ready: 2 tools");
	expect(await mcp(tau, "show", "x")).toContain(
		"left out, because their definitions are not valid: no_schema, text_schema, 7, odd_schema",
	);
});

test("servers with names that look alike to a model keep the names of their tools, whichever of them runs", async () => {
	await using tau = await launch({ steps: [] });
	const namesOf = async (first: object): Promise<string[]> => {
		configure(tau, { "my-server": first, "my.server": faulty([]) });
		const lines = (await mcp(tau, "list", "--json")).trim().split("\n");
		const servers = lines.map((line) => JSON.parse(line) as McpServerInfo);
		return servers.flatMap(({ name, tools }) => tools.map(({ toolName }) => `${name} ${toolName}`));
	};
	const all = await namesOf(faulty([]));
	expect(all[0]).toBe("my-server mcp_my_server_echo");
	expect(new Set(all).size).toBe(4);
	expect(await namesOf(faulty([], {}, { enabled: false }))).toEqual(all.slice(2));
	expect(await namesOf(faulty(["slow"], { SLOW_MS: "500" }))).toEqual(all);
});

test("a server that cannot be reached is listed with the reason, and one of another program is only switched", async () => {
	await using tau = await launch({ steps: [] });
	writeTestFile(
		join(tau.home, ".claude.json"),
		JSON.stringify({ mcpServers: { theirs: faulty([]), gone: { command: "/no/such/program" } } }),
	);
	const list = await mcp(tau, "list");
	expect(list).toMatch(/theirs +ready/);
	expect(list).toMatch(/gone +failed +.*Cannot start \/no\/such\/program/);
	expect(await mcp(tau, "remove", "theirs")).toContain("which Tau does not write. Use /mcp disable theirs.");
	await mcp(tau, "disable", "theirs");
	expect(await mcp(tau, "list")).toMatch(/theirs +disabled/);
});

test("Smithery is searched where a key is set", async () => {
	await using tau = await launch({ steps: [] });
	const asked: string[] = [];
	await using registry = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch(request) {
			asked.push(`${request.headers.get("authorization")} ${new URL(request.url).search}`);
			const description = "Sends \u001b[31mmail";
			return Response.json({ servers: [{ qualifiedName: "acme/mail", description, useCount: 3 }] });
		},
	});
	const env = { SMITHERY_API_KEY: "k", SMITHERY_API_URL: `http://127.0.0.1:${registry.port}` };
	const { out } = await tau.run(["mcp", "search", "send", "mail"], { env });
	expect(out).toBe("acme/mail\n  Sends mail\n");
	expect(asked).toEqual(["Bearer k ?q=send%20mail&pageSize=20"]);
});

test("a server that cannot be connected to is named with what to do about it", async () => {
	await using tau = await launch({ steps: [] });
	const answering = (status: number) =>
		Bun.serve({
			hostname: "127.0.0.1",
			port: 0,
			fetch: ({ url }) => new Response("no", { status: new URL(url).pathname === "/mcp" ? status : 404 }),
		});
	await using closed = answering(401);
	await using denied = answering(403);
	const url = ({ port }: typeof closed): string => `http://127.0.0.1:${port}/mcp`;
	configure(tau, {
		login: { url: url(closed) },
		key: { url: url(closed), headers: { Authorization: "Bearer wrong" } },
		denied: { url: url(denied) },
		slow: { command: "sleep", args: ["60"], startTimeout: 300 },
		off: { url: "http://127.0.0.1:9/mcp" },
	});
	const expected: [command: string[], text: string][] = [
		[["test", "login"], 'Failed to connect to "login": it wants a login: /mcp reauth login'],
		[["reauth", "login"], "Authentication required, but its OAuth endpoints could not be discovered."],
		[["test", "key"], "Check its headers and secrets, or run /mcp reauth key."],
		[["test", "denied"], "Check its headers and secrets, or run /mcp reauth denied."],
		[["test", "slow"], "set startTimeout (ms) in its definition"],
		[["test", "off"], 'Failed to connect to "off": the connection was refused. Is the server running?\n'],
	];
	for (const [command, text] of expected) {
		const { out, err } = await tau.run(["mcp", ...command], { env: { BROWSER: "true" } });
		expect(`${out}${err}`).toContain(text);
	}
});

test("servers that several processes add at the same time are all there", async () => {
	await using tau = await launch({ steps: [] });
	const names = Array.from({ length: 6 }, (_, at) => `s${at}`);
	await Promise.all(names.map((name) => mcp(tau, "add", name, "--", "true")));
	expect(Object.keys(stored(tau)).toSorted()).toEqual(names);
});

test("of several wrong definitions the first is named, and how many more there are", async () => {
	await using tau = await launch({ steps: ["Done."] });
	configure(tau, { both: { command: "x", url: "http://127.0.0.1:1" }, neither: {}, odd: { type: "smoke" } });
	const { err } = await tau.run(["-p", "--model", "played/played-1", "go"]);
	expect(err).toMatch(/MCP servers: .*both: it has both a command and a url \(and 2 more: tau doctor\)/);
});
