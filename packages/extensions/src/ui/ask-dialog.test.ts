/** Questions of extensions to the user: single choice, multiple choice and free text, in every mode with a UI. */
import { expect, test } from "bun:test";

import type { AskDialogQuestion } from "./types.ts";
import { askAll, inTurn } from "./ask-dialog.ts";

const questions: AskDialogQuestion[] = [
	{
		id: "db",
		question: "Which database?",
		header: "Storage",
		options: [{ label: "SQLite" }, { label: "Redis" }],
	},
	{
		id: "os",
		question: "Where?",
		options: [{ label: "Linux" }, { label: "macOS" }, { label: "BSD" }],
		multi: true,
	},
	{ id: "name", question: "Its name?", options: [] },
];

/** Answers dialogs with these texts, in order. */
function user(words: (string | undefined)[]) {
	const seen: string[] = [];
	const answer = (title: string, items: readonly string[] = []): Promise<string | undefined> => {
		seen.push([title, ...items].join("|"));
		return Promise.resolve(words.shift());
	};
	const ui = {
		select: (title: string, items: readonly (string | { label: string })[]) =>
			answer(
				title,
				items.map((item) => (typeof item === "string" ? item : item.label)),
			),
		input: (title: string) => answer(title),
	};
	return { seen, ui };
}

test("questions are answered in order: single choice, multiple choice, and free text", async () => {
	const { seen, ui } = user(["Redis", "BSD", "Linux", "Done", "kept"]);
	const result = await askAll(inTurn(ui), questions);
	expect(
		result?.results.map(({ id, selectedOptions, customInput }) => [id, selectedOptions, customInput]),
	).toEqual([
		["db", ["Redis"], undefined],
		["os", ["BSD", "Linux"], undefined],
		["name", [], "kept"],
	]);
	expect(seen[0]).toBe("Storage\nWhich database?|SQLite|Redis");
	expect(seen[2]).toBe("Where?|Linux|macOS|Done");
});

test("cancelling one question cancels all", async () => {
	const { seen, ui } = user(["SQLite", undefined]);
	expect(await askAll(inTurn(ui), questions)).toBeUndefined();
	expect(seen).toHaveLength(2);
});

test("a dialog's timeout ends it", async () => {
	const never = (_: unknown, signal: AbortSignal): Promise<undefined> =>
		new Promise((resolve) => {
			signal.addEventListener("abort", () => resolve(undefined), { once: true });
		});
	expect(await askAll(never, questions, { timeout: 1 })).toBeUndefined();
});
