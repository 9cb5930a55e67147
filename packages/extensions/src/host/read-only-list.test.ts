/** A list of active tools without `edit` and `write` is read-only, as pi's plan mode expects. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { builtinTools } from "@tau/integrations/builtin";

import { hostOf, resultsIn, taskCall, withAgents } from "../../../../test/support/agents.ts";
import { callOf, type ExtensionFixture } from "../../../../test/support/extensions.ts";

/** `/plan` takes writing away as plan modes written for pi do; `/work` gives it back. */
const planMode = `export default (pi) => {
	const writers = ["edit", "write"];
	let before = [];
	pi.registerTool({ name: "note", label: "note", description: "notes", parameters: { type: "object" }, execute: async () => ({ content: [] }) });
	pi.registerCommand("plan", { handler() { before = pi.getActiveTools(); pi.setActiveTools(before.filter((name) => !writers.includes(name))); } });
	pi.registerCommand("work", { handler: () => pi.setActiveTools(before) });
	pi.registerCommand("add", { handler: () => pi.setActiveTools([...pi.getActiveTools(), ...writers]) });
};`;

const options = { files: { "plan.ts": planMode }, tools: builtinTools.map(({ name }) => name) };

const notebook = {
	cells: [{ cell_type: "code", metadata: {}, source: ["a=1"], outputs: [], execution_count: null }],
	metadata: {},
	nbformat: 4,
	nbformat_minor: 5,
};

function names({ session }: ExtensionFixture): string[] {
	return session.state.tools.map(({ name }) => name);
}

test("no call changes a file: structural edits, found tools, renames, and agents", async () => {
	const rewrite = { pattern: "console.log($A)", rewrite: "console.log(99)", path: "a.js" };
	const cell = { path: "n.ipynb", action: "edit", cell_index: 0, content: "a=666" };
	const attempts = [
		callOf("ast_edit", rewrite),
		callOf("resolve", { action: "apply", reason: "x" }),
		callOf("search_tools", { query: "notebook eval debug ssh browser" }),
		callOf("notebook", cell),
		callOf("lsp", { action: "rename", path: "a.js", line: 1, symbol: "console", new_name: "x" }),
		callOf("resolve", { action: "apply", reason: "x" }),
		callOf("eval", { code: "open('a.js', 'w').write('x')", language: "python" }),
		callOf("write", { path: "new.txt", content: "x" }),
	];
	// The same, by an agent.
	const steps = [...attempts, taskCall({ assignment: "change it" }), ...attempts, "Tried.", "Done."];
	await withAgents(
		steps,
		async (fixture, events) => {
			const files = { "a.js": "console.log(1);\n", "n.ipynb": JSON.stringify(notebook) };
			for (const [name, text] of Object.entries(files)) writeFileSync(join(fixture.cwd, name), text);
			await fixture.prompt("/plan");
			await fixture.prompt("go");
			for (const [name, text] of Object.entries(files))
				expect(readFileSync(join(fixture.cwd, name), "utf8")).toBe(text);
			const found = resultsIn(fixture).find((text) => text.includes("No tool matches"));
			expect(found).toBeDefined();
			expect(resultsIn(fixture).filter((text) => /There is no tool|not available/i.test(text))).toHaveLength(
				6,
			);
			expect(events.some(({ type }) => type === "child_ended")).toBe(true);
			expect(await Bun.file(join(fixture.cwd, "new.txt")).exists()).toBe(false);
		},
		options,
	);
});

test("what reads, tools of extensions and pi's bash stay, and the old list brings everything back", async () => {
	await withAgents(
		[],
		async (fixture) => {
			const before = names(fixture).toSorted();
			await fixture.prompt("/plan");
			const registry = hostOf(fixture).session.tools;
			const tierOf = (name: string) => registry?.get(name)?.approval;
			expect(names(fixture)).toEqual(
				expect.arrayContaining(["read", "bash", "note", "task", "search_tools"]),
			);
			expect(names(fixture).filter((name) => tierOf(name) === "write")).toEqual([]);
			await fixture.prompt("/work");
			expect(names(fixture).toSorted()).toEqual(before);
			// A mode that only adds the two again gets the same.
			await fixture.prompt("/plan");
			await fixture.prompt("/add");
			expect(names(fixture).toSorted()).toEqual(before);
		},
		options,
	);
});

test("tools of servers that come later are withheld unless they only read", async () => {
	await withAgents(
		[],
		async (fixture) => {
			await fixture.prompt("/plan");
			const { tools } = fixture.extensions.runner.bound;
			const look = tools.get("read");
			if (!look) throw new Error("There is no tool to copy.");
			tools.register(
				"mcp:tracker",
				[
					{ ...look, name: "mcp_tracker_list" },
					{ ...look, name: "mcp_tracker_push", approval: "exec" },
				],
				{ deferred: true },
			);
			expect(tools.find("tracker").map(({ name }) => name)).toEqual(["mcp_tracker_list"]);
			expect(await tools.resolve("mcp_tracker_push", new AbortController().signal)).toBeUndefined();
		},
		options,
	);
});

test("a session that could not write anyway keeps what it has", async () => {
	await withAgents(
		[],
		async (fixture) => {
			await fixture.prompt("/plan");
			expect(names(fixture)).toContain("ast_edit");
		},
		{ ...options, tools: ["read", "ast_edit", "resolve"] },
	);
});
