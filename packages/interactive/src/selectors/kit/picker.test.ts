/** A list handles keys, keeps its selection, and prompts and reports in place. */
import { describe, expect, test } from "bun:test";

import fc from "fast-check";

import { anyCharacter } from "../../../../../test/support/any-character.ts";
import { samples } from "../../../../../test/support/depth.ts";
import { frame, press, testScreen, typeInto } from "../../testing/frames.ts";
import { Picker } from "./picker.ts";
import { plain } from "./row.ts";
import type { PickerSpec } from "./spec.ts";

function fruits(more: Partial<PickerSpec<string>> = {}, rows = 24) {
	const chosen: string[] = [];
	let isClosed = false;
	const picker: Picker<string> = new Picker<string>(testScreen(rows), {
		title: "Fruits",
		items: (search) => ["apple", "banana", "cherry", "quince"].filter((name) => name.includes(search)),
		idOf: (name) => name,
		row: (name) => name,
		empty: (search) => `Nothing for "${search}"`,
		hints: () => ["enter take", "esc close"],
		onConfirm: (name) => void chosen.push(name),
		onCancel: () => (isClosed = true),
		...more,
	});
	return { picker, chosen, isClosed: () => isClosed };
}

test("it shows the selection, and what matches the search", () => {
	const { picker } = fruits();
	press(picker, "down");
	expect(frame(picker, 40)).toMatchInlineSnapshot(`
	  "
	  ── Fruits ─────────────────────── 2/4 ──
	   >
	     apple
	   ❯ banana
	     cherry
	     quince

	     enter take · esc close
	  "
	`);
	typeInto(picker, "e");
	expect(frame(picker, 40)).toMatchInlineSnapshot(`
	  "
	  ── Fruits ─────────────────────── 1/3 ──
	   > e
	   ❯ apple
	     cherry
	     quince


	     enter take · esc clear search
	  "
	`);
});

test("Enter picks the selected item, and the selection wraps around", () => {
	const { picker, chosen } = fruits();
	frame(picker, 40);
	press(picker, "up", "enter", "down", "enter", "end", "enter", "home", "enter", "pageDown", "enter");
	expect(chosen).toEqual(["quince", "apple", "quince", "apple", "quince"]);
});

test("the first Escape clears the search, the next closes", () => {
	const { picker, isClosed } = fruits();
	typeInto(picker, "zzz");
	expect(frame(picker, 40)).toContain('Nothing for "zzz"');
	expect(picker.wantsEscape()).toBe(true);
	press(picker, "escape");
	expect([picker.search, picker.wantsEscape(), isClosed()]).toEqual(["", false, false]);
	press(picker, "escape");
	expect(isClosed()).toBe(true);
});

test("the selection is kept when the items change around it", () => {
	let names = ["a", "b", "c"];
	const { picker } = fruits({ items: () => names });
	press(picker, "down");
	names = ["x", "y", "b", "c"];
	picker.refresh();
	expect(picker.selected).toBe("b");
	names = ["x", "c"];
	picker.refresh();
	expect(picker.selected).toBe("c");
});

test("Tab cycles through the tabs", () => {
	const tabs = [
		{ id: "one", label: "One" },
		{ id: "two", label: "Two" },
	];
	const { picker } = fruits({ tabs: () => tabs, items: (_, tab) => [`in ${tab}`] });
	press(picker, "tab");
	expect(picker.selected).toBe("in two");
	press(picker, "tab");
	expect(picker.selected).toBe("in one");
	press(picker, "shift+tab");
	expect(frame(picker, 40)).toMatchInlineSnapshot(`
	  "
	  ── Fruits ──────────────────────────────
	   One  Two
	   >
	   ❯ in two

	     enter take · esc close
	  "
	`);
});

describe("an input line", () => {
	test("is submitted with Enter; an error is shown, and the text stays", async () => {
		const { picker } = fruits();
		const taken: string[] = [];
		picker.ask({
			label: "A name",
			initial: "ap",
			onSubmit: (value) => (value === "apx" ? void taken.push(value) : "It must be apx."),
		});
		press(picker, "enter");
		await Promise.resolve();
		expect(frame(picker, 40)).toMatchInlineSnapshot(`
		  "
		  ── Fruits ─────────────────────── 1/4 ──
		  A name
		  > ap
		   ❯ apple
		     banana
		     cherry
		     quince
		     It must be apx.

		     enter submit · esc back
		  "
		`);
		typeInto(picker, "x");
		press(picker, "enter");
		await Promise.resolve();
		expect(taken).toEqual(["apx"]);
		expect(picker.wantsEscape()).toBe(false);
	});

	test("is never shown if it is secret", () => {
		const { picker } = fruits();
		picker.ask({ label: "The key", secret: true, onSubmit: () => undefined });
		typeInto(picker, "sk-secret");
		expect(frame(picker, 40)).not.toContain("secret");
		expect(frame(picker, 40)).toContain("•••••••••");
	});

	test("is cancelled with Escape", () => {
		const { picker, isClosed } = fruits();
		let isLeft = false;
		picker.ask({ label: "A name", onSubmit: () => undefined, onCancel: () => (isLeft = true) });
		press(picker, "escape");
		expect([isLeft, isClosed(), picker.wantsEscape()]).toEqual([true, false, false]);
	});
});

test("a question is answered by a letter, and nothing happens before", () => {
	const { picker } = fruits();
	let yes = 0;
	picker.confirm("Sure?", () => void yes++);
	expect(frame(picker, 40)).toContain("Sure?");
	press(picker, "x", "down", "n");
	expect(yes).toBe(0);
	picker.confirm("Sure?", () => void yes++);
	press(picker, "y");
	expect(yes).toBe(1);
	expect(frame(picker, 40)).not.toContain("Sure?");
});

test("an error is shown in the list until the next key", async () => {
	const { picker } = fruits({
		onConfirm: async () => {
			throw new Error("The fruit \x1b[31mis gone.");
		},
	});
	press(picker, "enter");
	await Promise.resolve();
	await Promise.resolve();
	expect(frame(picker, 40)).toContain("The fruit is gone.");
	press(picker, "down");
	expect(frame(picker, 40)).not.toContain("is gone");
});

test("a long list is a window around the selected item, and 100,000 rows cost no more than the visible ones", () => {
	let drawn = 0;
	const names = Array.from({ length: 100_000 }, (_, at) => `item ${at}`);
	const { picker } = fruits({
		items: () => names,
		row: (name) => {
			drawn++;
			return name;
		},
	});
	press(picker, "pageDown", "pageDown", "pageDown");
	frame(picker, 80);
	drawn = 0;
	frame(picker, 80);
	expect(drawn).toBe(12);
});

test("property: every frame fits, at any width and height, whatever the labels", () => {
	fc.assert(
		fc.property(
			fc.array(fc.string({ unit: anyCharacter, maxLength: 60 }), { maxLength: 30 }),
			fc.integer({ min: 1, max: 120 }),
			fc.integer({ min: 1, max: 60 }),
			fc.string({ unit: "grapheme", maxLength: 6 }),
			(names, width, rows, search) => {
				const { picker } = fruits(
					{
						items: () => names.map((name, at) => `${at} ${name}`),
						row: (name) => plain(name),
						about: (name) => [plain(name), plain(name)],
						aboutRows: 2,
						tabs: () => names.map((name, at) => ({ id: String(at), label: name })),
					},
					rows,
				);
				typeInto(picker, search.replaceAll("\x1b", ""));
				frame(picker, width);
			},
		),
		{ numRuns: samples(200) },
	);
});
