/** For any keys: the caret is between clusters, rows fit, undo restores, and the text is as expected. */
import { expect, test } from "bun:test";

import { graphemes, visibleWidth } from "@tau/sys";
import * as fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { samples } from "../../../../test/support/depth.ts";
import { CURSOR_MARKER } from "../component.ts";
import { StdinBuffer } from "../input/index.ts";
import { Input } from "./input.ts";
import { editorFixture, paste, press, sequenceOf } from "./testing/keyboard.ts";

const motions = [
	"left",
	"right",
	"up",
	"down",
	"home",
	"end",
	"ctrl+left",
	"ctrl+right",
	"pageUp",
	"pageDown",
];
const changes = [
	"backspace",
	"delete",
	"ctrl+w",
	"ctrl+u",
	"ctrl+k",
	"ctrl+y",
	"alt+y",
	"alt+d",
	"shift+enter",
];
const undos = ["ctrl+-", "alt+-"];
/** Characters that join, are wide, have no width, or are invalid. */
const odd = [
	"世",
	"e",
	"\u0301",
	"👨",
	"\u200d",
	"👩",
	"🇩",
	"🇪",
	"🏽",
	"\ufe0f",
	"각",
	"ᄀ",
	"ᅡ",
	"क",
	"्",
	"ष",
	"\u200b",
	"ﷺ",
];
const letter = fc.oneof(
	fc.constantFrom(...odd),
	fc.constantFrom(...'ab .\\("/@'),
	fc.string({ unit: anyCharacter, maxLength: 2 }),
);
const pasted = fc
	.constantFrom("two\nlines", "x\n".repeat(12), "y".repeat(1001))
	.map((text) => `paste ${text}`);

const key = fc.oneof(
	{ weight: 4, arbitrary: letter },
	{ weight: 3, arbitrary: fc.constantFrom(...motions, ...changes) },
	{ weight: 1, arbitrary: fc.constantFrom(...undos) },
	{ weight: 1, arbitrary: pasted },
);
/** In vim mode letters are commands, and some of them must be combined. */
const vimKey = fc.oneof(
	{ weight: 2, arbitrary: key },
	{ weight: 3, arbitrary: fc.constantFrom("escape", ...'hjklwbe0$^GxXdcypPiaIAoOvVuJ~r;,{}23"(') },
	{ weight: 1, arbitrary: fc.constantFrom("dd", "diw", 'ci"', "yyp", "gg", "fa", "dG", "ctrl+r") },
);

function run(editor: ReturnType<typeof editorFixture>["editor"], pressed: string): void {
	if (pressed.startsWith("paste ")) paste(editor, pressed.slice(6));
	else if (/^(?:dd|diw|ci"|yyp|gg|fa|dG)$/.test(pressed)) press(editor, ...pressed);
	else press(editor, pressed);
}

/** A label is one unit; the text after it never joins its last bracket. */
function edgesOf(line: string): number[] {
	const edges = [line.length];
	let from = 0;
	for (const part of line.split(/(\[paste #\d+ [^\]]*\])/)) {
		const starts = part.startsWith("[paste #") ? [0] : Array.from(graphemes(part), ({ index }) => index);
		for (const start of starts) edges.push(from + start);
		from += part.length;
	}
	return edges;
}

function expectSound({ editor }: ReturnType<typeof editorFixture>, width: number): void {
	const { line, col } = editor.getCursor();
	expect(edgesOf(editor.getLines()[line]!)).toContain(col);
	const rows = editor.render(width);
	for (const row of rows) expect(visibleWidth(row)).toBeLessThanOrEqual(width);
	expect(rows.filter((row) => row.includes(CURSOR_MARKER))).toHaveLength(1);
	expect(rows.join("")).not.toMatch(/\p{Cs}/u);
}

const widths = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 90 }));
const padding = fc.nat(3);

test.each([
	["plain", key, false],
	["vim", vimKey, true],
] as const)("%s keys keep caret and rows valid, and undo restores the start", (_name, keys, vimMode) => {
	fc.assert(
		fc.property(fc.array(keys, { maxLength: 40 }), widths, padding, (pressed, width, paddingX) => {
			const made = editorFixture({ vimMode, paddingX, rows: 12 });
			for (const id of pressed) {
				run(made.editor, id);
				expectSound(made, width);
			}
			made.editor.setVimMode(false);
			press(made.editor, ...(made.editor.wantsEscape() ? ["escape"] : []));
			const text = made.editor.getExpandedText();
			// There are no more steps than keys, at most three per key.
			const steps = Array.from({ length: pressed.length * 3 + 3 });
			press(made.editor, ...steps.map(() => "ctrl+-"));
			expect(made.editor.getText()).toBe("");
			press(made.editor, ...steps.map(() => "alt+-"));
			// Undos at the end of the keys are redone as well.
			if (!pressed.some((id) => undos.includes(id) || id === "u"))
				expect(made.editor.getExpandedText()).toBe(text);
		}),
		{ numRuns: samples(250) },
	);
});

/** The same edits on a plain string. */
class Naive {
	before = "";
	after = "";

	press(id: string): void {
		if (id === "left")
			[this.before, this.after] = [this.before.slice(0, -1), this.before.slice(-1) + this.after];
		else if (id === "right")
			[this.before, this.after] = [this.before + this.after.slice(0, 1), this.after.slice(1)];
		else if (id === "backspace") this.before = this.before.slice(0, -1);
		else if (id === "delete") this.after = this.after.slice(1);
		else if (id === "home") {
			const start = this.before.lastIndexOf("\n") + 1;
			[this.before, this.after] = [this.before.slice(0, start), this.before.slice(start) + this.after];
		} else if (id === "end") {
			const end = this.after.indexOf("\n") < 0 ? this.after.length : this.after.indexOf("\n");
			[this.before, this.after] = [this.before + this.after.slice(0, end), this.after.slice(end)];
		} else this.before += id === "shift+enter" ? "\n" : id;
	}
}

const basic = fc.oneof(
	fc.constantFrom("left", "right", "backspace", "delete", "home", "end", "shift+enter"),
	fc.constantFrom(..."abc 世"),
);

test("basic edits give the same text and caret as plain strings", () => {
	fc.assert(
		fc.property(fc.array(basic, { maxLength: 60 }), (pressed) => {
			const { editor } = editorFixture();
			const naive = new Naive();
			for (const id of pressed) {
				press(editor, id);
				naive.press(id);
				const { line, col } = editor.getCursor();
				const before = naive.before.split("\n");
				expect([editor.getText(), line, col]).toEqual([
					naive.before + naive.after,
					before.length - 1,
					before.at(-1)!.length,
				]);
			}
		}),
		{ numRuns: samples(200) },
	);
});

test("keys that arrive in any chunks write the same prompt", () => {
	fc.assert(
		fc.property(
			fc.array(key, { maxLength: 25 }),
			fc.array(fc.nat(300), { maxLength: 10 }),
			(pressed, cuts) => {
				const bytes = Buffer.from(
					pressed
						.map((id) => (id.startsWith("paste ") ? `\x1b[200~${id.slice(6)}\x1b[201~` : sequenceOf(id)))
						.join(""),
				);
				const written = [[], cuts.map((at) => at % (bytes.length + 1)), [...bytes.keys()]].map((places) => {
					const { editor } = editorFixture();
					using buffer = new StdinBuffer();
					buffer.on("data", (data) => editor.handleInput(data));
					buffer.on("paste", (text) => paste(editor, text));
					let from = 0;
					for (const to of [...places.toSorted((a, b) => a - b), bytes.length]) {
						buffer.process(bytes.subarray(from, to));
						from = to;
					}
					buffer.flush();
					return [editor.getExpandedText(), editor.getCursor()];
				});
				expect(written[1]).toEqual(written[0]);
				expect(written[2]).toEqual(written[0]);
			},
		),
		{ numRuns: samples(150) },
	);
});

test("a single-line field is one row that fits, with its caret, for any keys", () => {
	fc.assert(
		fc.property(fc.array(key, { maxLength: 40 }), widths, (pressed, width) => {
			const input = new Input();
			input.focused = true;
			for (const id of pressed) {
				if (id.startsWith("paste ")) paste(input, id.slice(6));
				else press(input, id);
				const [row, ...more] = input.render(width);
				expect(more).toEqual([]);
				expect(visibleWidth(row!)).toBeLessThanOrEqual(width);
				expect(row).toContain(CURSOR_MARKER);
				expect(input.getValue()).not.toContain("\n");
			}
		}),
		{ numRuns: samples(200) },
	);
});
