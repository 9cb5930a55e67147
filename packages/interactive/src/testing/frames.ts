/** A screen for tests of rendering: frames as text, keys by name. */
import { builtinTheme, setKeybindings, visibleWidth, type Component } from "@tau/tui";
import { stripControls } from "@tau/utils";

import { newKeys } from "../keys.ts";
import type { PickerScreen } from "../selectors/kit/spec.ts";

/** Attempts, at least a millisecond apart: a busy machine needs many. */
const patience = 3000;

export interface TestScreen extends PickerScreen {
	/** How often a frame was requested. */
	readonly requests: () => number;
	readonly terminal: { readonly rows: number };
}

/** Sets the keys of the application, as the program does. */
export function testScreen(rows = 24): TestScreen {
	setKeybindings(newKeys());
	let requested = 0;
	return {
		theme: { current: builtinTheme("dark", "none") },
		rows,
		terminal: { rows },
		requestRender: () => void requested++,
		requests: () => requested,
	};
}

/** The visible text, without trailing spaces. Throws if a row is wider than the screen. */
export function frame(component: Pick<Component, "render">, width: number): string {
	const rows = component.render(width);
	const wide = rows.find((row) => visibleWidth(row) > width || row.includes("\n"));
	if (wide !== undefined) throw new Error(`A row is wider than ${width}: ${JSON.stringify(wide)}`);
	return `\n${rows.map((row) => stripControls(row).trimEnd()).join("\n")}\n`;
}

const sequences: Record<string, string> = {
	up: "\x1b[A",
	down: "\x1b[B",
	right: "\x1b[C",
	left: "\x1b[D",
	home: "\x1b[H",
	end: "\x1b[F",
	pageUp: "\x1b[5~",
	pageDown: "\x1b[6~",
	enter: "\r",
	tab: "\t",
	"shift+tab": "\x1b[Z",
	escape: "\x1b",
	backspace: "\x7f",
	space: " ",
	"ctrl+left": "\x1b[1;5D",
	"ctrl+right": "\x1b[1;5C",
	"shift+ctrl+o": "\x1b[111;6u",
};

/** What a terminal sends for a key: `ctrl+r`, `alt+a`, `L`. */
function keySequence(id: string): string {
	const known = sequences[id];
	if (known !== undefined) return known;
	const letter = id.at(-1) ?? "";
	if (id.startsWith("ctrl+")) return String.fromCharCode(letter.charCodeAt(0) & 0x1f);
	return id.startsWith("alt+") ? `\x1b${letter}` : id;
}

export function press(component: Component, ...ids: string[]): void {
	for (const id of ids) component.handleInput?.(keySequence(id));
}

export function typeInto(component: Component, text: string): void {
	for (const letter of text) component.handleInput?.(letter);
}

/** Waits for asynchronous changes, a little at a time. */
export async function until(holds: () => boolean): Promise<void> {
	for (let tries = 0; !holds(); tries++) {
		if (tries > patience) throw new Error("It never came.");
		await Bun.sleep(1);
	}
}
