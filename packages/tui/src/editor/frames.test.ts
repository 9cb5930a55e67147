/** The appearance of the editor, in three widths. `▏` and `█` are the caret. */
import { describe, expect, test } from "bun:test";

import type { AutocompleteProvider } from "./autocomplete.ts";
import { editorFixture, paste, press, seen, type } from "./testing/keyboard.ts";

const widths = [16, 40, 72] as const;

function frames(editor: ReturnType<typeof editorFixture>["editor"]): string {
	return `\n${widths.map((width) => seen(editor, width)).join("\n")}\n`;
}

describe("frames", () => {
	test("an empty editor", () => {
		expect(frames(editorFixture().editor)).toMatchInlineSnapshot(`
		  "
		  ────────────────
		  █
		  ────────────────
		  ────────────────────────────────────────
		  █
		  ────────────────────────────────────────
		  ────────────────────────────────────────────────────────────────────────
		  █
		  ────────────────────────────────────────────────────────────────────────
		  "
		`);
	});

	test("a prompt with wide characters, a paste and the caret inside", () => {
		const { editor } = editorFixture({ paddingX: 1 });
		type(editor, "Please read 世界の言語 and then compare it with ");
		paste(editor, "x\n".repeat(42));
		type(editor, " line by line");
		press(editor, "ctrl+left", "ctrl+left");
		expect(frames(editor)).toMatchInlineSnapshot(`
		  "
		  ────────────────
		   Please read 世
		   界の言語 and
		   then compare
		   it with
		   [paste #1 +42…
		   line ▏by line
		  ────────────────
		  ────────────────────────────────────────
		   Please read 世界の言語 and then
		   compare it with [paste #1 +42 lines]
		   line ▏by line
		  ────────────────────────────────────────
		  ────────────────────────────────────────────────────────────────────────
		   Please read 世界の言語 and then compare it with [paste #1 +42 lines]
		   line ▏by line
		  ────────────────────────────────────────────────────────────────────────
		  "
		`);
	});

	test("a text that is taller than the editor, scrolled to its middle", () => {
		const { editor } = editorFixture({ maxHeight: 3 });
		editor.setText(Array.from({ length: 9 }, (_, index) => `line ${index + 1}`).join("\n"));
		press(editor, ...Array.from({ length: 4 }, () => "up"));
		seen(editor, 40);
		press(editor, "down");
		expect(frames(editor)).toMatchInlineSnapshot(`
		  "
		  ─── ↑ 3 more ───
		  line 4
		  line 5
		  line 6█
		  ─── ↓ 3 more ───
		  ─── ↑ 3 more ───────────────────────────
		  line 4
		  line 5
		  line 6█
		  ─── ↓ 3 more ───────────────────────────
		  ─── ↑ 3 more ───────────────────────────────────────────────────────────
		  line 4
		  line 5
		  line 6█
		  ─── ↓ 3 more ───────────────────────────────────────────────────────────
		  "
		`);
	});

	test("suggestions", async () => {
		const { promise: shown, resolve } = Promise.withResolvers<void>();
		const { editor } = editorFixture();
		const provider: AutocompleteProvider = {
			getSuggestions: async () => {
				queueMicrotask(() => setImmediate(resolve));
				return {
					prefix: "/m",
					items: [
						{ value: "model", label: "model", description: "Select a model" },
						{ value: "memory", label: "memory", description: "What is remembered of this project" },
						{ value: "mcp", label: "mcp", description: "Manage MCP servers" },
					],
				};
			},
			applyCompletion: (lines, cursorLine, cursorCol) => ({ lines, cursorLine, cursorCol }),
		};
		editor.setAutocompleteProvider(provider);
		type(editor, "/m");
		await shown;
		press(editor, "down");
		expect(frames(editor)).toMatchInlineSnapshot(`
		  "
		  ────────────────
		  /m█
		  ────────────────
		     model
		   ❯ memory
		     mcp
		  ────────────────────────────────────────
		  /m█
		  ────────────────────────────────────────
		     model         Select a model
		   ❯ memory        What is remembered of …
		     mcp           Manage MCP servers
		  ────────────────────────────────────────────────────────────────────────
		  /m█
		  ────────────────────────────────────────────────────────────────────────
		     model         Select a model
		   ❯ memory        What is remembered of this project
		     mcp           Manage MCP servers
		  "
		`);
	});

	test("the search through older prompts", () => {
		const { editor } = editorFixture();
		for (const prompt of ["write the tests first", "explain this error"]) editor.addToHistory(prompt);
		press(editor, "ctrl+r", "t", "e", "s");
		expect(frames(editor)).toMatchInlineSnapshot(`
		  "
		  ────────────────
		  write the tests
		  first
		  tes█
		  ────────────────────────────────────────
		  write the tests first
		  history: tes█ 1/1
		  ────────────────────────────────────────────────────────────────────────
		  write the tests first
		  history: tes█ 1/1
		  "
		`);
	});

	test("vim's visual mode", () => {
		const { editor } = editorFixture({ vimMode: true });
		editor.setText("select some words of it");
		press(editor, "escape", "b", "b", "b", "v", "e", "e");
		expect(frames(editor)).toMatchInlineSnapshot(`
		  "
		  ────────────────
		  select some
		  «words o»▏f it
		  ─────── VISUAL ─
		  ────────────────────────────────────────
		  select some «words o»▏f it
		  ─────────────────────────────── VISUAL ─
		  ────────────────────────────────────────────────────────────────────────
		  select some «words o»▏f it
		  ─────────────────────────────────────────────────────────────── VISUAL ─
		  "
		`);
	});
});
