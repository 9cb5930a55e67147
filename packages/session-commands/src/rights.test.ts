/** What a client may run that only watches, or only comments and prompts. */
import { expect, test } from "bun:test";
import { rights } from "@tau/wire";

import { infoOf } from "./command.ts";
import { rows } from "./rows/index.ts";

test("whoever may only view is shown nothing of the owner's account, machine, files and other sessions", () => {
	const viewed = rows.filter(({ right }) => right === "view").map(({ name }) => name);
	// A command that is added here shows everything that it replies to a guest.
	expect(viewed.toSorted()).toEqual(["commands", "cost", "diff", "dump", "session", "skills"]);
	const shown = rows.flatMap(({ name, right, shows = [] }) =>
		right === "view" ? [] : shows.map((word) => `/${name} ${word}`.trim()),
	);
	expect(shown.toSorted()).toEqual([
		"/add-dir",
		"/agents",
		"/agents show",
		"/agents types",
		"/branch",
		"/browser",
		"/context",
		"/context print",
		"/context show",
		"/debugger",
		"/fork",
		"/goal",
		"/jobs",
		"/jobs show",
		"/lsp",
		"/lsp log",
		"/model",
		"/name",
		"/permissions",
		"/rewind",
		"/sandbox",
		"/scoped-models",
		"/thinking",
		"/todo",
		"/todo show",
		"/tools",
		"/tree",
	]);
});

test("whoever may send prompts asks, retries and edits the todo list, and changes nothing else", () => {
	const prompting = rows.filter(({ right, isPrompt }) => right === "prompt" && !isPrompt);
	expect(prompting.map(({ name }) => name).toSorted()).toEqual(["btw", "retry", "todo"]);
});

test("every command has a right, a description and words that a client can list", () => {
	for (const row of rows) {
		const { right, description, source, shows = [] } = infoOf(row);
		expect(rights).toContain(right);
		expect(description).not.toBe("");
		expect(source).toBe(row.isPrompt ? "prompt" : "tau");
		// Words that only show something are words of a command that does more.
		if (shows.length > 0) expect(right).not.toBe("view");
	}
});
