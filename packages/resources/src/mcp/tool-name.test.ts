/** Names that every provider accepts, and that stay the same. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";

import { meansServerTool, toolNameOf, toolPrefix, uniqueName } from "./tool-name.ts";

test.each([
	["github", "create-issue", "mcp_github_create_issue"],
	["My.Server", "Do It!", "mcp_my_server_do_it"],
	["linear", "linear_list_issues", "mcp_linear_list_issues"],
	["a", "list__all", "mcp_a_list_all"],
])("%s and %s make %s", (server, tool, expected) => {
	expect(toolNameOf(server, tool)).toBe(expected);
	expect(expected).toStartWith(toolPrefix(server));
});

test("property: any names make one that providers accept", () => {
	fc.assert(
		fc.property(fc.string({ minLength: 1 }), fc.string(), (server, tool) => {
			expect(toolNameOf(server, tool)).toMatch(/^mcp_[a-z0-9_]{1,60}$/);
		}),
	);
});

test("a name that is taken gets a suffix that does not depend on the order", () => {
	const taken = new Set(["mcp_my_server_x"]);
	const name = uniqueName("mcp_my_server_x", "my.server\0x", (one) => taken.has(one));
	expect(name).toMatch(/^mcp_my_server_x_[0-9a-f]{6}$/);
	expect(uniqueName("mcp_my_server_x", "my.server\0x", (one) => taken.has(one))).toBe(name);
});

test.each([
	["mcp_github_search", true],
	["mcp__github__search", true],
	["MCP__GitHub__search", true],
	["mcp__github", true],
	["mcp__github__*", true],
	["mcp__*", true],
	["mcp__git", false],
	["mcp__github__sea", false],
	["mcp__gitlab__search", false],
	["search", false],
])("%s in a list of tools means mcp_github_search: %p", (written, isMeant) => {
	expect(meansServerTool(written, "mcp_github_search")).toBe(isMeant);
});
