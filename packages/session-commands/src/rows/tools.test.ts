/** `/tools` disables and enables a tool, and says what else hides one. */
import { expect, test } from "bun:test";

import type { SessionTool } from "@tau/session/run";
import { ToolRegistry } from "@tau/tools/registry";

import { toolRows, withSwitched } from "./grants.ts";

function tool(name: string): SessionTool {
	return {
		name,
		label: `The tool ${name}`,
		description: "",
		parameters: {},
		concurrency: "shared",
		approval: "read",
		validate: (value) => ({ ok: true, value }),
		execute: async () => ({ content: [] }),
	};
}

function table(): ToolRegistry {
	const registry = new ToolRegistry();
	registry.register("builtin", ["read", "bash", "edit"].map(tool));
	return registry;
}

function switchTool(registry: ToolRegistry, name: string): void {
	registry.hide("user", withSwitched(registry, name) ?? []);
}

function shown(registry: ToolRegistry): string[] {
	return toolRows(registry).map(({ name, isOn }) => `${name} ${isOn ? "on" : "off"}`);
}

test("the model no longer has it, and the list still shows it at the same position", () => {
	const registry = table();
	switchTool(registry, "bash");
	expect(registry.visible.map(({ name }) => name)).toEqual(["read", "edit"]);
	expect(shown(registry)).toEqual(["read on", "bash off", "edit on"]);
	registry.register("extension:/late.ts", [tool("late")]);
	expect(shown(registry)).toEqual(["read on", "bash off", "edit on", "late on"]);
	switchTool(registry, "bash");
	expect(registry.visible.map(({ name }) => name)).toEqual(["read", "bash", "edit", "late"]);
});

test("a tool that an extension hides stays off with the reason, and one that the settings disable is not listed", () => {
	const registry = table();
	registry.hide("extension", ["bash"]);
	registry.hide("settings", ["edit"]);
	switchTool(registry, "bash");
	expect(registry.hidden("user").size).toBe(0);
	expect(toolRows(registry).map(({ name, label }) => `${name}: ${label}`)).toEqual([
		"read: The tool read",
		"bash: off: an extension hides it",
	]);
});
