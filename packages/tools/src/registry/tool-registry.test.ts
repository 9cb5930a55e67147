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
	expect(names(registry.find("jira ISSUE"))).toBe("jira_search jira_comment");
	expect(names(registry.find("issues finds"))).toBe("jira_search");
	expect(registry.find("read")).toEqual([]);
	registry.hide("user", ["jira_comment"]);
	expect(names(registry.find("jira"))).toBe("jira_search");
	registry.reveal(["jira_search", "jira_comment"]);
	expect(names(registry.visible)).toBe("read jira_search");
	expect(registry.find("jira")).toEqual([]);
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
