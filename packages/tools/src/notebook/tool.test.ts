/** A cell is changed, and everything else in the notebook stays unchanged, byte for byte. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import * as fc from "fast-check";

import { callTool, testToolEnv, textOf } from "../../../../test/support/tool-env.ts";
import { sourceLines } from "./notebook.ts";
import { notebook } from "./tool.ts";

const sample = {
	cells: [
		{ cell_type: "markdown", id: "m", metadata: {}, source: ["# Title\n", "words"] },
		{
			cell_type: "code",
			execution_count: 3,
			id: "c",
			metadata: { tags: ["x"] },
			outputs: [{ output_type: "stream", text: ["1\n"] }],
			source: "print(1)",
		},
	],
	metadata: { kernelspec: { name: "python3" } },
	nbformat: 4,
	nbformat_minor: 5,
};

async function change(args: Record<string, unknown>, text = JSON.stringify(sample, null, 1) + "\n") {
	await using env = await testToolEnv();
	const path = join(env.cwd, "a.ipynb");
	await Bun.write(path, text);
	const result = await callTool(notebook.bind(env), { path: "a.ipynb", ...args });
	return { result, said: textOf(result), after: await Bun.file(path).text(), before: text };
}

test("an edit replaces the source and keeps the kind, the outputs and the rest", async () => {
	const {
		after,
		said: text,
		result,
	} = await change({ action: "edit", cell_index: 1, content: "a = 1\nprint(a)" });
	const parsed = JSON.parse(after);
	expect(parsed.cells[1]).toEqual({ ...sample.cells[1], source: ["a = 1\n", "print(a)"] });
	expect(parsed.cells[0]).toEqual(sample.cells[0]);
	expect(text).toBe("Changed code cell 1 of a.ipynb; it has 2 cells now.");
	expect(result.details).toMatchObject({ cellSource: "a = 1\nprint(a)", cellType: "code" });
});

test("the result has the change of the cell as a diff, which the transcript shows", async () => {
	const diffOf = async (args: Record<string, unknown>): Promise<string[]> => {
		const { result } = await change(args);
		const { diff } = result.details as { diff: string };
		return diff.split("\n").filter((line) => /^[-+]/.test(line));
	};
	const heads = ["--- a.ipynb", "+++ a.ipynb"];
	expect(await diffOf({ action: "edit", cell_index: 0, content: "# Title\nmore" })).toEqual([
		...heads,
		"-words",
		"+more",
	]);
	expect(await diffOf({ action: "insert", cell_index: 0, content: "x = 1" })).toEqual([...heads, "+x = 1"]);
	expect(await diffOf({ action: "delete", cell_index: 1 })).toEqual([...heads, "-print(1)"]);
});

test("a new cell is code by default, and has an id if cells have them", async () => {
	const code = await change({ action: "insert", cell_index: 2, content: "x" });
	const cell = JSON.parse(code.after).cells[2];
	expect(cell).toMatchObject({ cell_type: "code", execution_count: null, outputs: [], source: ["x"] });
	expect(cell.id).toMatch(/^\w+$/);
	const old = JSON.stringify({ ...sample, nbformat_minor: 4 });
	const words = await change(
		{ action: "insert", cell_index: 0, content: "hi\n", cell_type: "markdown" },
		old,
	);
	expect(JSON.parse(words.after).cells[0]).toEqual({ cell_type: "markdown", metadata: {}, source: ["hi\n"] });
});

test("a cell is deleted, and its content is reported", async () => {
	const { after, result } = await change({ action: "delete", cell_index: 0 });
	expect(JSON.parse(after).cells).toEqual([sample.cells[1]]);
	expect(result.details).toMatchObject({ cellSource: "# Title\nwords", totalCells: 1 });
});

test("code that becomes Markdown loses its outputs", async () => {
	const { after } = await change({ action: "edit", cell_index: 1, content: "words", cell_type: "markdown" });
	const words = { cell_type: "markdown", id: "c", metadata: { tags: ["x"] }, source: ["words"] };
	expect(JSON.parse(after).cells[1]).toEqual(words);
});

test.each([["\t"], ["  "], [" "]])("the indentation %j and the last line stay", async (indent) => {
	const text = JSON.stringify(sample, null, indent);
	const { after } = await change({ action: "edit", cell_index: 1, content: "print(1)" }, text);
	expect(after).toBe(text.replace('"print(1)"', `[\n${indent.repeat(4)}"print(1)"\n${indent.repeat(3)}]`));
});

describe("an impossible change is reported, and nothing is written", () => {
	const cases: [what: string, args: Record<string, unknown>, text: string | undefined, reason: string][] = [
		[
			"a position behind the end",
			{ action: "edit", cell_index: 2, content: "" },
			undefined,
			"out of range: 0 to 1",
		],
		[
			"a new cell too far behind",
			{ action: "insert", cell_index: 3, content: "" },
			undefined,
			"out of range: 0 to 2",
		],
		["an edit without content", { action: "edit", cell_index: 0 }, undefined, "edit needs content"],
		["no JSON", { action: "delete", cell_index: 0 }, "{", "is not a notebook: it is not valid JSON"],
		["no cells", { action: "delete", cell_index: 0 }, "{}", 'it has no "cells"'],
		["empty cells", { action: "delete", cell_index: 0 }, '{"cells":[]}', "it has no cells yet"],
		["invalid cells", { action: "delete", cell_index: 0 }, '{"cells":[1]}', "a cell is not an object"],
	];
	test.each(cases)("%s", async (_, args, text, reason) => {
		const { result, said: message, after, before } = await change(args, text);
		expect(result.isError).toBe(true);
		expect(message).toContain(reason);
		expect(after).toBe(before);
	});

	test("a file that does not exist", async () => {
		await using env = await testToolEnv();
		const args = { path: "no.ipynb", action: "delete", cell_index: 0 };
		expect(textOf(await callTool(notebook.bind(env), args))).toContain("no.ipynb");
	});
});

test("property: joined lines are the content again", () => {
	fc.assert(fc.property(fc.string(), (content) => expect(sourceLines(content).join("")).toBe(content)));
});
