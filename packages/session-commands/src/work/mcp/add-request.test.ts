/** A server is added from one line, or from the JSON of its documentation. */
import { expect, test } from "bun:test";

import { readAddRequest, serverInJson, serverToAdd } from "./add-request.ts";

const added = (line: string) => serverToAdd(readAddRequest(line.split(" ")));

test.each([
	["x -- npx -y server --flag", { command: "npx", args: ["-y", "server", "--flag"] }],
	["x npx -y server --flag", { command: "npx", args: ["-y", "server", "--flag"] }],
	["x --env A=b=c --env D= -- server", { command: "server", env: { A: "b=c", D: "" } }],
	["x https://example.org/mcp", { type: "http", url: "https://example.org/mcp" }],
	["x --url=https://example.org/ --transport sse", { type: "sse", url: "https://example.org/" }],
	["x --url https://a.b/ --header X-A:1", { type: "http", url: "https://a.b/", headers: { "X-A": "1" } }],
	["x --timeout 500 --always-load -- s", { command: "s", timeout: 500, alwaysLoad: true }],
])("%s", (line, config) => {
	expect(added(line)).toEqual({ name: "x", level: "user", config });
	expect(added(`--project ${line}`).level).toBe("project");
});

test.each([
	["x --url https://a.b/ -- s", "Use either --url or -- <command...>, not both."],
	["x --token t -- s", "--token requires --url (HTTP/SSE transport)."],
	["x --header A=1 -- s", "--header requires --url."],
	["x --url https://a.b/ --env A=1", "--env requires a command."],
	["x --env A -- s", '"A" has no value: use NAME=value.'],
	["x --timeout soon -- s", "--timeout soon is not a number of milliseconds."],
	["x --urk https://a.b/", "Unknown flag --urk."],
	["x --url", "--url needs a value."],
	["--project", "Give the server a name."],
])("%s is refused", (line, message) => {
	expect(() => added(line)).toThrow(message);
});

test("the JSON of a server may be whole, a map of one server, or the server alone", () => {
	const config = { command: "npx", args: ["server"] };
	const named = { name: "x", config };
	expect(serverInJson(JSON.stringify({ mcpServers: { x: config } }))).toEqual(named);
	expect(serverInJson(JSON.stringify({ servers: { x: config } }))).toEqual(named);
	expect(serverInJson(JSON.stringify({ x: config }))).toEqual(named);
	expect(serverInJson(JSON.stringify(config))).toEqual({ name: undefined, config });
	expect(() => serverInJson(JSON.stringify({ x: config, y: config }))).toThrow("exactly one server");
	expect(() => serverInJson("[]")).toThrow("not the JSON of a server");
});
