/** The terminal of a command gets every key but one, and leaves the screen with the command. */
import { expect, test } from "bun:test";

import type { ShownTerminal } from "@tau/session/host";
import { TerminalScreen } from "@tau/sys";
import { setKeybindings, type Component, type Theme } from "@tau/tui";
import { stripControls } from "@tau/utils";
import { componentLimits } from "@tau/wire";

import { EditorSlot } from "./editor-slot.ts";
import { newKeys } from "./keys.ts";
import { limits } from "./limits.ts";
import { terminalViewer } from "./terminal-viewer.ts";

const plain = { fg: (_: string, text: string) => text, bold: (text: string) => text } as unknown as Theme;

async function shown(output: string, more: Partial<ShownTerminal> = {}) {
	setKeybindings(newKeys());
	const typed: string[] = [];
	const sizes: unknown[] = [];
	const notes: string[] = [];
	const listeners = new Set<() => void>();
	const terminal = { columns: 40, rows: 20 };
	const tui = {
		terminal,
		onResize(listener: () => void) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
		requestComponentRender: () => {},
	};
	const editor: Component & { getText(): string; setText(): void } = {
		render: () => ["editor"],
		getText: () => "",
		setText: () => {},
		invalidate: () => {},
	};
	const screen = {
		setFocus(component: Component | null) {
			if (focus !== null && "focused" in focus) focus.focused = false;
			focus = component;
			if (focus !== null && "focused" in focus) focus.focused = true;
		},
		requestRender: () => {},
	};
	let focus: Component | null = null;
	// Since the last key, more time has passed than a typist needs.
	const slot = new EditorSlot({
		screen,
		editor,
		onTrouble: (error) => expect(error).toBeUndefined(),
		now: () => 0,
		after: () => ({ [Symbol.dispose]: () => {} }),
		hint: (text) => text,
	});
	const viewer = terminalViewer(
		{ tui, slot, theme: { current: plain } } as unknown as Parameters<typeof terminalViewer>[0],
		{ waits: (what) => void notes.push(what) },
	);
	const emulator = await TerminalScreen.open(viewer.size(), () => {});
	emulator.write(Buffer.from(output));
	await emulator.settled();
	const view = viewer.show({
		command: "vim\x1b[2J file",
		screen: emulator,
		type: (bytes) => void typed.push(bytes),
		resize: (size) => void sizes.push(size),
		...more,
	});
	const press = (data: string): void => {
		if (!slot.sawKey(data)) slot.current.handleInput?.(data);
	};
	const rows = (): string[] => slot.render(40).map((row) => stripControls(row).trimEnd());
	return { slot, view, typed, sizes, notes, listeners, terminal, press, rows, emulator };
}

const rule = "─".repeat(40);

test("it shows the cells of the program below its command, and calls the user", async () => {
	const { rows, notes } = await shown("one\r\ntwo");
	expect(rows()).toEqual([
		rule,
		" $ vim file",
		"one",
		"two",
		" ctrl+] to leave · other keys go to the…",
		rule,
	]);
	expect(notes).toEqual(["A command has opened a terminal."]);
});

test("every key goes to the program: Escape, Ctrl+C, Ctrl+D, Ctrl+X and Tab too", async () => {
	const { press, typed } = await shown("");
	for (const key of ["a", "\x1b", "\x03", "\x04", "\x18", "\t", "\x1b[A", "\x1b[99;5u"]) press(key);
	expect(typed).toEqual(["a", "\x1b", "\x03", "\x04", "\x18", "\t", "\x1b[A", "\x03"]);
});

test("keys and pastes follow the modes of the program", async () => {
	const paste = "\x1b[200~two\nlines\x1b[201~";
	const simple = await shown("");
	simple.press(paste);
	expect(simple.typed).toEqual(["two\rlines"]);
	const { press, typed } = await shown("\x1b[?1h\x1b[?2004h");
	press("\x1b[A");
	press(paste);
	expect(typed).toEqual(["\x1bOA", "\x1b[200~two\rlines\x1b[201~"]);
});

test("one key returns the keys to the editor, and another one brings them back", async () => {
	const { press, typed, rows, slot } = await shown("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8");
	press("\x1d");
	const waiting = rows();
	expect(waiting.slice(2, 2 + limits.terminalPreviewRows)).toEqual(["3", "4", "5", "6", "7", "8"]);
	expect(waiting.at(-1)).toBe("editor");
	expect(waiting).toContain(" ctrl+x to type into it · esc to stop it");
	expect(slot.hasGuest).toBe(false);
	press("x");
	press("\x18");
	press("y");
	expect(typed).toEqual(["y"]);
});

test("a question that opens while the user types into the terminal does not take the keys", async () => {
	const { press, typed, slot } = await shown("");
	press("a");
	const answers: string[] = [];
	const question = {
		render: () => ["?"],
		invalidate: () => {},
		handleInput: (key: string) => void answers.push(key),
	};
	slot.show(question, { isRequest: true });
	press("y");
	expect({ typed, answers }).toEqual({ typed: ["a", "y"], answers: [] });
	press("\x18");
	press("y");
	expect(answers).toEqual(["y"]);
});

test("it follows the size of the window, until it is gone", async () => {
	const { view, sizes, listeners, terminal, rows, slot } = await shown("");
	Object.assign(terminal, { columns: 100, rows: 50 });
	for (const listener of listeners) listener();
	expect(sizes).toEqual([{ columns: 100, rows: 50 - componentLimits.terminalFrameRows }]);
	view[Symbol.dispose]();
	view[Symbol.dispose]();
	expect({ listeners: listeners.size, rows: rows(), open: slot.hasGuest }).toEqual({
		listeners: 0,
		rows: ["editor"],
		open: false,
	});
});

test("one that the user has opened calls nobody, and is gone when the user leaves it", async () => {
	const { press, notes, rows, listeners, typed } = await shown("$ ", { isOpenedByUser: true });
	press("x");
	press("\x1d");
	expect({ notes, typed, rows: rows(), listeners: listeners.size }).toEqual({
		notes: [],
		typed: ["x"],
		rows: ["editor"],
		listeners: 0,
	});
});
