/** One table determines which tools a model has: which source registered them, and which layer hides them. */
import { expect, test } from "bun:test";
import type { SessionTool } from "@tau/session/run";

import { ToolRegistry } from "./tool-registry.ts";

function tool(name: string, description = ""): SessionTool {
	return {
		name,
		label: name,
		description,
		parameters: {},
		concurrency: "shared",
		approval: "read",
		validate: (value) => ({ ok: true, value }),
		execute: async () => ({ content: [] }),
	};
}

function names(tools: readonly { name: string }[]): string {
	return tools.map(({ name }) => name).join(" ");
}

function registryOf(...all: string[]): ToolRegistry {
	const registry = new ToolRegistry();
	registry.register(
		"builtin",
		all.map((name) => tool(name)),
	);
	return registry;
}

test("a tool is visible if no layer hides it, and each layer is lifted independently", () => {
	const registry = registryOf("read", "bash", "edit");
	registry.hide("user", ["bash"]);
	registry.hide("mode", ["bash", "edit"]);
	expect(names(registry.visible)).toBe("read");
	registry.hide("mode", []);
	expect(names(registry.visible)).toBe("read edit");
	expect(registry.entries.map(({ hiddenBy }) => hiddenBy)).toEqual([[], ["user"], []]);
	expect(registry.get("bash")?.name).toBe("bash");
	registry.hide("user", []);
	expect(names(registry.visible)).toBe("read bash edit");
});

test("a layer can hide a tool that is registered later", () => {
	const registry = registryOf("read");
	registry.hide("settings", (name) => name.startsWith("web_"));
	registry.register("extension:/web.ts", [tool("web_search"), tool("late")]);
	expect(names(registry.visible)).toBe("read late");
	expect([...registry.hidden("settings")]).toEqual(["web_search"]);
});

test("a tool replaces a built-in one at its position, and restores it when it is removed", () => {
	const registry = registryOf("read", "bash");
	const [builtin] = registry.visible;
	const own = tool("read");
	{
		using _ = registry.register("extension:/own.ts", [own]);
		expect(registry.visible[0]).toBe(own);
		expect(registry.entries[0]?.source).toBe("extension:/own.ts");
		expect(names(registry.visible)).toBe("read bash");
	}
	expect(registry.visible[0]).toBe(builtin as SessionTool);
});

test("a hidden name is hidden for every source", () => {
	const registry = registryOf("bash");
	registry.hide("policy", ["bash"]);
	using _ = registry.register("mcp:box", [tool("bash")]);
	expect(registry.visible).toEqual([]);
});

test("deferred tools are found by their descriptions, and visible once they are revealed", () => {
	const registry = registryOf("read");
	const jira = [tool("jira_search", "Finds issues in Jira"), tool("jira_comment", "Comments on an issue")];
	registry.register("mcp:jira", jira, { deferred: true });
	expect(names(registry.visible)).toBe("read");
	expect(names(registry.find("search JIRA issues"))).toBe("jira_search jira_comment");
	expect(names(registry.find("COMMENT"))).toBe("jira_comment");
	expect(registry.find("read")).toEqual([]);
	registry.hide("user", ["jira_comment"]);
	expect(names(registry.find("jira"))).toBe("jira_search");
	registry.reveal(["jira_search", "jira_comment"]);
	expect(names(registry.visible)).toBe("read jira_search");
});

test("a revealed tool is declared behind all others, and keeps its place when its source comes again", () => {
	const registry = registryOf("read");
	const first = registry.register("mcp:a", [tool("a_one"), tool("a_two")], { deferred: true });
	registry.register("mcp:b", [tool("b_one")], { deferred: true });
	registry.reveal(["b_one", "a_two"]);
	expect(registry.entries.filter(({ isDeferred }) => isDeferred).map(({ tool: { name } }) => name)).toEqual([
		"a_one",
	]);
	registry.register("extension:/late.ts", [tool("late")]);
	expect(names(registry.visible)).toBe("read late b_one a_two");
	first[Symbol.dispose]();
	expect(names(registry.visible)).toBe("read late b_one");
	registry.register("mcp:a", [tool("a_two")], { deferred: true });
	expect(names(registry.visible)).toBe("read late b_one a_two");
});

test("a tool is resolved by its exact name: deferred, late, but not hidden", async () => {
	const registry = registryOf("read", "bash");
	registry.register("mcp:a", [tool("a_one")], { deferred: true });
	registry.hide("user", ["bash"]);
	const { signal } = new AbortController();
	registry.addLateSource(async (name) => {
		if (name === "b_late") registry.register("mcp:b", [tool("b_late")], { deferred: true });
	});
	expect((await registry.resolve("a_one", signal))?.name).toBe("a_one");
	expect((await registry.resolve("b_late", signal))?.name).toBe("b_late");
	expect(await registry.resolve("bash", signal)).toBeUndefined();
	expect(await registry.resolve("nothing", signal)).toBeUndefined();
	expect(names(registry.visible)).toBe("read a_one b_late");
});

test("a search ranks names before descriptions and parameters, and understands plurals and camel case", () => {
	const registry = new ToolRegistry();
	const withParameter = {
		...tool("report", "Writes a summary"),
		parameters: { type: "object", properties: { milestone: { description: "of the issue" } } },
	};
	const tools = [
		tool("list_repositories", "Lists all repositories of a user, with their issues"),
		tool("createIssue", "Adds one to a repository"),
		withParameter,
		tool("delete_branch", "Removes a branch"),
	];
	registry.register("mcp:git", tools, { deferred: true });
	expect(names(registry.find("create issues"))).toStartWith("createIssue ");
	expect(names(registry.find("milestones"))).toBe("report");
	expect(names(registry.find("delete_branch"))).toBe("delete_branch");
	expect(registry.find("weather")).toEqual([]);
});

test("listeners are notified of each change, of a batch once, and a failing one does not affect the others", () => {
	const registry = registryOf("read");
	let received = 0;
	registry.onChange(() => {
		throw new Error("broken");
	});
	const listening = registry.onChange(() => void received++);
	const registration = registry.register("custom", [tool("a")]);
	registry.hide("user", ["a"]);
	registration[Symbol.dispose]();
	registration[Symbol.dispose]();
	expect(received).toBe(3);
	registry.batch(() => {
		registry.register("custom", [tool("b")]);
		registry.hide("user", ["b"]);
	});
	registry.batch(() => {});
	expect(received).toBe(4);
	listening[Symbol.dispose]();
	registry.hide("user", []);
	expect(received).toBe(4);
});
