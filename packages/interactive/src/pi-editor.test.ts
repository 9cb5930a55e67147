/** Editors of extensions written for pi handle the application's keys as they do there. */
import { describe, expect, test } from "bun:test";

import { builtinTheme, editorTheme, KeybindingsManager, setKeybindings } from "@tau/tui";

import { newKeys } from "./keys.ts";
import { CustomEditor } from "./pi-editor.ts";

setKeybindings(newKeys());

const escape = "\u001B";
const host = { requestRender() {}, terminal: { rows: 24 } };

describe("CustomEditor", () => {
	function editor(): CustomEditor {
		return new CustomEditor(host, editorTheme(builtinTheme("dark", "none")), new KeybindingsManager({}));
	}

	test("an extension overrides one action of the application, and the others stay", () => {
		const done: string[] = [];
		const own = editor();
		// As the application connects it, and as an extension overrides one.
		own.onAction = (action) => {
			done.push(`app ${action}`);
			return true;
		};
		(own.onAction as unknown as (action: string, handler: () => void) => void)(
			"app.model.cycleForward",
			() => void done.push("mine"),
		);
		own.handleInput("\u0010");
		own.handleInput("\u0014");
		expect(done).toEqual(["mine", "app app.thinking.toggle"]);
	});

	test("pi's older hooks for Escape and shortcuts work", () => {
		const done: string[] = [];
		const own = editor();
		own.onEscape = () => void done.push("escape");
		own.onExtensionShortcut = (data) => data === "\u0018" && done.push("shortcut") > 0;
		for (const key of [escape, "\u0018", "x"]) own.handleInput(key);
		expect(done).toEqual(["escape", "shortcut"]);
		expect(own.getText()).toBe("x");
	});
});
