/** Definitions as the known programs write them become one form; wrong ones are named. */
import { describe, expect, test } from "bun:test";

import { checkServerName, parseServer } from "./parse-config.ts";

const config = (raw: unknown): unknown => {
	const parsed = parseServer(raw);
	return parsed.ok ? parsed.config : parsed.message;
};

describe("definitions of each program", () => {
	const cases: [program: string, raw: object, expected: object][] = [
		[
			"Claude Code",
			{ type: "stdio", command: "npx", args: ["-y", "x"], env: { A: "1" } },
			{ transport: "stdio", command: "npx", args: ["-y", "x"], env: { A: "1" }, enabled: true },
		],
		[
			"Codex",
			{
				url: "https://x.test/mcp",
				bearer_token_env_var: "TOKEN",
				env_http_headers: { "X-Key": "KEY" },
				tool_timeout_sec: 5,
				startup_timeout_sec: 7,
				enabled_tools: ["a"],
			},
			{
				transport: "http",
				headers: { Authorization: "Bearer ${TOKEN}", "X-Key": "${KEY}" },
				timeoutMs: 5_000,
				startTimeoutMs: 7_000,
				enabledTools: ["a"],
			},
		],
		[
			"Gemini CLI",
			{ httpUrl: "https://x.test", trust: true, includeTools: ["a"], excludeTools: ["b"], timeout: 10 },
			{
				transport: "http",
				url: "https://x.test",
				trust: true,
				enabledTools: ["a"],
				disabledTools: ["b"],
				timeoutMs: 10,
			},
		],
		["Windsurf", { serverUrl: "https://x.test", disabled: true }, { transport: "http", enabled: false }],
		[
			"OpenCode",
			{ type: "local", command: ["npx", "x", "y"], environment: { A: "1" } },
			{ transport: "stdio", command: "npx", args: ["x", "y"], env: { A: "1" } },
		],
		[
			"OpenCode, remote",
			{ type: "remote", url: "https://x.test", oauth: false },
			{ transport: "http", auth: { isOff: true } },
		],
		[
			"omp",
			{ type: "sse", url: "https://x.test", auth: { type: "oauth", clientId: "me", scopes: ["a", "b"] } },
			{ transport: "sse", auth: { clientId: "me", scope: "a b" } },
		],
	];
	test.each(cases)("%s", (_, raw, expected) => {
		expect(config(raw)).toMatchObject(expected);
	});
});

test.each([
	[{ command: "a", url: "https://x.test" }, "it has both a command and a url"],
	[{}, "it has neither a command nor a url"],
	[{ type: "http", command: "a" }, "type http needs a url"],
	[{ type: "stdio", url: "https://x.test" }, "type stdio needs a command"],
	[{ type: "carrier", command: "a" }, 'unknown type "carrier"'],
	["npx", "it is not a map"],
])("%j is refused: %s", (raw, message) => {
	expect(config(raw)).toBe(message);
});

test("wrong values of switches and times are reported, and the server is used", () => {
	expect(parseServer({ command: "a", enabled: "no", timeout: "soon" })).toMatchObject({
		ok: true,
		warnings: [
			"enabled is not true or false; it is ignored",
			"timeout is not a number of milliseconds; it is ignored",
		],
	});
});

test("a name of a server is plain", () => {
	expect(checkServerName("my.server-1_x")).toBeUndefined();
	for (const name of ["", "bad name!", "a/b", "x".repeat(101), "github__evil", "github_"])
		expect(checkServerName(name)).toBeString();
});
