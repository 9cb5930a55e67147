/** Keys can be rebound, errors are reported, and the rest still works. */
import { afterEach, expect, test } from "bun:test";

import { TUI_KEYBINDINGS } from "./keybinding-table.ts";
import { readKeybindings } from "./keybindings-config.ts";
import { getKeybindings, KeybindingsManager, setKeybindings } from "./keybindings.ts";

afterEach(() => setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS)));

test("the default table has no conflict, and every key in it has its canonical notation", () => {
	const keys = new KeybindingsManager(TUI_KEYBINDINGS);
	// A user who writes down the whole table changes nothing.
	keys.setUserBindings(keys.getResolvedBindings());
	expect(keys.getConflicts()).toEqual([]);
	expect(readKeybindings(keys.getResolvedBindings(), TUI_KEYBINDINGS).problems).toEqual([]);
});

test("the user's keys replace those of an action and leave the others", () => {
	const keys = new KeybindingsManager(TUI_KEYBINDINGS, { "tui.editor.cursorUp": ["up", "alt+k"] });
	expect(keys.matches("\x1bk", "tui.editor.cursorUp")).toBe(true);
	expect(keys.matches("\x1b[B", "tui.editor.cursorDown")).toBe(true);
	keys.setUserBindings({ "tui.editor.cursorUp": [] });
	expect(keys.matches("\x1b[A", "tui.editor.cursorUp")).toBe(false);
	expect(keys.getKeys("tui.editor.cursorUp")).toEqual([]);
	expect(keys.getDefinition("tui.editor.cursorUp").defaultKeys).toBe("up");
	expect(keys.getUserBindings()).toEqual({ "tui.editor.cursorUp": [] });
});

test("a key that does two things in one context is a conflict; in two contexts it is not", () => {
	const keys = new KeybindingsManager(TUI_KEYBINDINGS, {
		"tui.editor.yank": "ctrl+k",
		"tui.select.down": "ctrl+k",
	});
	expect(keys.getConflicts()).toEqual([
		{ key: "ctrl+k", keybindings: ["tui.editor.deleteToLineEnd", "tui.editor.yank"] },
	]);
});

test("keys that a table shares on purpose are not a conflict until the user changes one of them", () => {
	const shared = { "app.exit": { defaultKeys: "ctrl+d" }, "app.delete": { defaultKeys: "ctrl+d" } } as const;
	const keys = new KeybindingsManager(shared);
	expect(keys.getConflicts()).toEqual([]);
	keys.setUserBindings({ "app.exit": "ctrl+d" });
	expect(keys.getConflicts()).toEqual([{ key: "ctrl+d", keybindings: ["app.exit", "app.delete"] }]);
});

test("the file is read flat, nested, and by the short names of old files", () => {
	expect(
		readKeybindings(
			{
				"tui.editor.undo": "ctrl+z",
				tui: { input: { submit: ["ctrl+enter"] } },
				newLine: ["enter", "ctrl+j"],
				selectUp: "ctrl+p",
				pageUp: null,
			},
			TUI_KEYBINDINGS,
		),
	).toEqual({
		problems: [],
		config: {
			"tui.editor.undo": ["ctrl+z"],
			"tui.input.submit": ["ctrl+enter"],
			"tui.input.newLine": ["enter", "ctrl+j"],
			"tui.select.up": ["ctrl+p"],
			"tui.editor.pageUp": [],
		},
	});
});

test("errors are reported one by one and affect nothing else", () => {
	const { config, problems } = readKeybindings(
		{
			"tui.editor.unod": "ctrl+z",
			"tui.editor.yank": ["ctrl+banana", "alt+p", 7],
			"tui.editor.redo": "alt+r",
		},
		TUI_KEYBINDINGS,
	);
	expect(config).toEqual({ "tui.editor.yank": ["alt+p"], "tui.editor.redo": ["alt+r"] });
	expect(problems).toEqual([
		"keybindings: unknown action tui.editor.unod; did you mean tui.editor.undo?",
		'keybindings: tui.editor.yank: invalid key "ctrl+banana"',
		"keybindings: tui.editor.yank: invalid key 7",
	]);
	expect(readKeybindings(["x"], TUI_KEYBINDINGS).problems).toHaveLength(1);
	expect(readKeybindings(undefined, TUI_KEYBINDINGS)).toEqual({ config: {}, problems: [] });
});

test("an application's own actions coexist with those of the terminal", () => {
	setKeybindings(
		new KeybindingsManager({ ...TUI_KEYBINDINGS, "app.clear": { defaultKeys: "ctrl+l", context: "editor" } }),
	);
	expect(getKeybindings().getResolvedBindings()["app.clear"]).toEqual(["ctrl+l"]);
	expect(getKeybindings().matches("\r", "tui.input.submit")).toBe(true);
});
