/** A tool that a person has switched off stays off, and can be switched on again. */
import { expect, test } from "bun:test";

import type { AgentTool } from "@tau/agent";

import { testModel, testSession } from "../../../../../../test/support/session.ts";
import { keepTools, switchTool, toolsOf } from "./tool-choice.ts";

function tool(name: string): AgentTool {
	return {
		name,
		label: name,
		description: "",
		parameters: {},
		concurrency: "shared",
		approval: "read",
		validate: (value) => ({ ok: true, value }),
		execute: async () => ({ content: [] }),
	};
}

function session() {
	return testSession(testModel(), { tools: [tool("read"), tool("bash"), tool("edit")] });
}

function state(of: ReturnType<typeof session>): string[] {
	return toolsOf(of).map(({ tool: { name }, isOn }) => `${name} ${isOn ? "on" : "off"}`);
}

test("the model has it no longer, and the list still does, in the same place", () => {
	using one = session();
	switchTool(one, "bash", false);
	expect(one.state.tools.map(({ name }) => name)).toEqual(["read", "edit"]);
	expect(state(one)).toEqual(["read on", "bash off", "edit on"]);
	switchTool(one, "bash", true);
	expect(one.state.tools.map(({ name }) => name)).toEqual(["read", "bash", "edit"]);
});

test("tools that come later are in the list too", () => {
	using one = session();
	switchTool(one, "read", false);
	one.setTools([...one.state.tools, tool("late")]);
	expect(state(one)).toEqual(["read off", "bash on", "edit on", "late on"]);
});

test("a session that goes on from another point has the same ones off", () => {
	using one = session();
	switchTool(one, "bash", false);
	const keep = keepTools(one);
	using next = session();
	keep(next);
	expect(state(next)).toEqual(["read on", "bash off", "edit on"]);
});
