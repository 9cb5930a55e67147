/** Suggestions appear while the user types, never block typing, and are never inserted at the wrong position. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AutocompleteItem, AutocompleteProvider } from "./autocomplete.ts";
import { CombinedAutocompleteProvider } from "./combined-provider.ts";
import { limits } from "./limits.ts";
import { editorFixture, paste, press, seen, type, type EditorFixture } from "./testing/keyboard.ts";

const commands = [
	{ name: "model", description: "Choose a model", argumentHint: "<name>" },
	{ name: "more", description: "Show more" },
	{
		name: "deploy",
		getArgumentCompletions: (prefix: string): AutocompleteItem[] | null =>
			["dev", "prod"].filter((name) => name.startsWith(prefix)).map((name) => ({ value: name, label: name })),
	},
];
const files = async (query: string): Promise<string[]> =>
	["src/index.ts", "src/my file.ts", "src/"].filter((path) => path.includes(query));

function withProvider(provider: AutocompleteProvider): EditorFixture {
	const made = editorFixture();
	made.editor.setAutocompleteProvider(provider);
	return made;
}

/** Runs the reactions of settled promises. */
async function settled(): Promise<void> {
	for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

/** The pause after which files are searched. */
async function pause(): Promise<void> {
	jest.advanceTimersByTime(limits.completionDebounceMs);
	await settled();
}

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

test("a word that is too long for a path is not completed", async () => {
	let requests = 0;
	const { editor } = withProvider({
		getSuggestions: async () => {
			requests++;
			return null;
		},
		applyCompletion: (lines, cursorLine, cursorCol) => ({ lines, cursorLine, cursorCol }),
	});
	type(editor, `@${"x".repeat(limits.completedChars - 1)}`);
	await pause();
	expect(requests).toBe(1);
	type(editor, "x");
	await pause();
	expect(requests).toBe(1);
});

describe("commands", () => {
	test("are suggested at the start of the text and sent with enter", async () => {
		const { editor, sent } = withProvider(new CombinedAutocompleteProvider(commands));
		type(editor, "/mo");
		await settled();
		expect(seen(editor, 50).split("\n").slice(-2)).toEqual([
			" ❯ more          Show more",
			"   model         <name> — Choose a model",
		]);
		press(editor, "down", "enter");
		expect(sent).toEqual(["/model"]);
		expect(editor.isShowingAutocomplete()).toBe(false);
	});

	test("are completed with tab, and their arguments are suggested", async () => {
		const { editor } = withProvider(new CombinedAutocompleteProvider(commands));
		type(editor, "/dep");
		await settled();
		press(editor, "tab");
		expect(editor.getText()).toBe("/deploy ");
		type(editor, "p");
		await settled();
		press(editor, "tab");
		expect(editor.getText()).toBe("/deploy prod");
	});

	test("that only resemble the typed text are completed with Enter, and not run", async () => {
		const { editor, sent } = withProvider(new CombinedAutocompleteProvider(commands));
		type(editor, "/ploy");
		await settled();
		press(editor, "enter");
		expect(sent).toEqual([]);
		expect(editor.getText()).toBe("/deploy ");
	});

	test("keep a typed argument with one Enter, unless another one was selected or only one matches", async () => {
		const values = ["notify.method", "notify.after", "theme"];
		const settings = {
			name: "settings",
			description: "",
			getArgumentCompletions: (prefix: string) =>
				values.filter((value) => value.includes(prefix)).map((value) => ({ value, label: value })),
		};
		const enter = async (text: string, ...keys: string[]): Promise<string[]> => {
			const { editor, sent } = withProvider(new CombinedAutocompleteProvider([settings]));
			type(editor, text);
			await settled();
			press(editor, ...keys, "enter");
			return sent;
		};
		expect(await enter("/settings notify")).toEqual(["/settings notify"]);
		expect(await enter("/settings theme")).toEqual(["/settings theme"]);
		expect(await enter("/settings the")).toEqual(["/settings theme"]);
		expect(await enter("/settings notify", "down")).toEqual(["/settings notify.after"]);
		expect(await enter("/settings ")).toEqual(["/settings"]);
	});

	test("are not suggested in the middle of a text", async () => {
		const { editor } = withProvider(new CombinedAutocompleteProvider(commands));
		type(editor, "and/or mo");
		await pause();
		expect(editor.isShowingAutocomplete()).toBe(false);
	});

	test("text that is sent before the list appears is sent as typed", async () => {
		const { editor, sent } = withProvider(new CombinedAutocompleteProvider(commands));
		type(editor, "/mo\r");
		await settled();
		expect(sent).toEqual(["/mo"]);
		expect(editor.isShowingAutocomplete()).toBe(false);
	});

	test("Escape and moving away close the list", async () => {
		const { editor } = withProvider(new CombinedAutocompleteProvider(commands));
		for (const key of ["escape", "left", "ctrl+a"]) {
			editor.setText("");
			type(editor, "/m");
			await settled();
			expect(editor.isShowingAutocomplete()).toBe(true);
			press(editor, key);
			expect([key, editor.isShowingAutocomplete()]).toEqual([key, false]);
		}
	});
});

describe("files", () => {
	test("are suggested after an @, after a pause, and enter only inserts them", async () => {
		const { editor, sent } = withProvider(new CombinedAutocompleteProvider([], ".", files));
		type(editor, "see @ind");
		await settled();
		expect(editor.isShowingAutocomplete()).toBe(false);
		await pause();
		press(editor, "enter");
		expect([editor.getText(), sent]).toEqual(["see @src/index.ts ", []]);
	});

	test("with spaces are in quotes, and directories can be continued", async () => {
		const { editor } = withProvider(new CombinedAutocompleteProvider([], ".", files));
		type(editor, "@my");
		await pause();
		press(editor, "tab");
		expect(editor.getText()).toBe('@"src/my file.ts" ');
		type(editor, "@src/");
		await pause();
		press(editor, "down", "down", "tab");
		expect(editor.getText()).toBe('@"src/my file.ts" @src/');
	});

	test("inserted before other words have one space after them, and the caret is after it", async () => {
		const { editor } = withProvider(new CombinedAutocompleteProvider([], ".", files));
		editor.setText(" please");
		press(editor, "home");
		type(editor, "@ind");
		await pause();
		press(editor, "tab");
		type(editor, "x");
		expect(editor.getText()).toBe("@src/index.ts xplease");
	});

	test("in a directory with spaces are continued before the quote", async () => {
		const { editor } = withProvider(
			new CombinedAutocompleteProvider([], ".", async () => ["my dir/", "my dir/x"]),
		);
		type(editor, "@my");
		await pause();
		press(editor, "tab");
		type(editor, "x");
		expect(editor.getText()).toBe('@"my dir/x"');
	});

	test("a marker before the mention stays a marker", async () => {
		const { editor } = withProvider(new CombinedAutocompleteProvider([], ".", files));
		const long = "x\n".repeat(20);
		paste(editor, long);
		type(editor, " @ind");
		await pause();
		press(editor, "tab");
		expect(editor.getText()).toBe("[paste #1 +20 lines] @src/index.ts ");
		expect(editor.getExpandedText()).toBe(`${long} @src/index.ts `);
		press(editor, "ctrl+-");
		expect(editor.getExpandedText()).toBe(`${long} @ind`);
	});
});

describe("paths", () => {
	let root: string;
	beforeAll(async () => {
		root = await mkdtemp(join(tmpdir(), "tau-paths-"));
		await mkdir(join(root, "source", "deep"), { recursive: true });
		for (const name of ["some.txt", "other.txt", ".hidden", "a b.txt", "evil\x1b[2J.txt"]) {
			await Bun.write(join(root, name), "");
		}
		await symlink(join(root, "source"), join(root, "link"));
	});
	// Deletes only the directory that `mkdtemp` has just created: an unset path must not lead anywhere.
	afterAll(async () => {
		if (root.startsWith(join(tmpdir(), "tau-paths-"))) await rm(root, { recursive: true });
	});

	const labels = async (typed: string, force = true): Promise<string[] | undefined> => {
		const provider = new CombinedAutocompleteProvider([], root);
		const options = { signal: new AbortController().signal, force };
		const suggestions = await provider.getSuggestions([typed], 0, typed.length, options);
		return suggestions?.items.map(({ value }) => value);
	};

	test("tab lists the directory, directories first, without hidden names and names with control characters", async () => {
		expect(await labels("")).toEqual(["link/", "source/", '"a b.txt"', "other.txt", "some.txt"]);
		expect(await labels("see so")).toEqual(["source/", "some.txt"]);
		expect(await labels("./so")).toEqual(["./source/", "./some.txt"]);
		expect(await labels("link/")).toEqual(["link/deep/"]);
		expect(await labels(".h")).toEqual([".hidden"]);
		expect(await labels('"a b')).toEqual(['"a b.txt"']);
		expect(await labels(`${root}/o`)).toEqual([`${root}/other.txt`]);
		expect(await labels("nowhere/x")).toBeUndefined();
	});

	test("without tab they appear only after the beginning of a path", async () => {
		expect(await labels("so", false)).toBeUndefined();
		expect(await labels("in ./so", false)).toEqual(["./source/", "./some.txt"]);
	});

	test("a single match is inserted at once", async () => {
		jest.useRealTimers();
		const { promise: taken, resolve } = Promise.withResolvers<void>();
		const { editor } = withProvider(new CombinedAutocompleteProvider([], root));
		type(editor, "cat oth");
		editor.onChange = () => resolve();
		press(editor, "tab");
		await taken;
		expect(editor.getText()).toBe("cat other.txt");
	});
});

describe("a provider of an extension", () => {
	const issues = (answer: AutocompleteProvider["getSuggestions"]): AutocompleteProvider => ({
		getSuggestions: answer,
		applyCompletion: (...args) => new CombinedAutocompleteProvider().applyCompletion(...args),
	});
	const suggestions = {
		prefix: "#2",
		items: [
			{ value: "#29", label: "#29" },
			{ value: "#21", label: "#21" },
		],
	};

	test("is called for words that start with a sign, and for no others", async () => {
		const queries: string[] = [];
		const { editor } = withProvider(
			issues(async (lines, line, col) => {
				queries.push((lines[line] ?? "").slice(0, col));
				return suggestions;
			}),
		);
		type(editor, "plain words");
		await pause();
		expect(queries).toEqual([]);
		type(editor, " #2");
		await pause();
		expect(queries).toEqual(["plain words #2"]);
		press(editor, "tab");
		expect(editor.getText()).toBe("plain words #29");
	});

	test("is called once for fast typing, aborted by the next key, and its late result is dropped", async () => {
		const answers: { resolve: (value: typeof suggestions) => void; signal: AbortSignal; col: number }[] = [];
		const { editor, frames } = withProvider(
			issues((_lines, _line, col, { signal }) => {
				const { promise, resolve } = Promise.withResolvers<typeof suggestions>();
				answers.push({ resolve, signal, col });
				return promise;
			}),
		);
		type(editor, "#2");
		await pause();
		expect(answers.map(({ col }) => col)).toEqual([2]);
		type(editor, "9");
		expect(answers[0]?.signal.aborted).toBe(true);
		answers[0]?.resolve(suggestions);
		await settled();
		expect([editor.isShowingAutocomplete(), frames()]).toEqual([false, 0]);
		await pause();
		press(editor, "left");
		answers[1]?.resolve(suggestions);
		await settled();
		expect(editor.isShowingAutocomplete()).toBe(false);
	});

	test("that is called twice shows its list once", async () => {
		const { editor, frames } = withProvider(issues(async () => suggestions));
		type(editor, "x");
		press(editor, "tab", "tab");
		await settled();
		expect([editor.isShowingAutocomplete(), frames()]).toEqual([true, 1]);
	});

	test("that throws, fails or never responds leaves no list and no timer", async () => {
		const providers = [
			issues(() => {
				throw new Error("broken");
			}),
			issues(async () => {
				throw new Error("broken");
			}),
			issues(() => new Promise(() => {})),
		];
		for (const provider of providers) {
			const { editor } = withProvider(provider);
			type(editor, "#2");
			await pause();
			jest.advanceTimersByTime(limits.completionTimeoutMs);
			await settled();
			expect([editor.isShowingAutocomplete(), jest.getTimerCount()]).toEqual([false, 0]);
		}
	});

	test("a list for an older text inserts nothing", async () => {
		const { editor, sent } = withProvider(issues(async () => suggestions));
		type(editor, "#2");
		await pause();
		expect(editor.isShowingAutocomplete()).toBe(true);
		type(editor, "0");
		press(editor, "enter");
		expect(sent).toEqual(["#20"]);
	});

	test("a disposed editor has no pending request", async () => {
		const { editor } = withProvider(issues(async () => suggestions));
		type(editor, "#2");
		editor[Symbol.dispose]();
		expect(jest.getTimerCount()).toBe(0);
		await pause();
		expect(editor.isShowingAutocomplete()).toBe(false);
	});
});
