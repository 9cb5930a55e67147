/** Earlier prompts are a list with their age, and the selected one in full below it. */
import { expect, test } from "bun:test";

import { frame, press, testScreen, typeInto } from "../../testing/frames.ts";
import { historySelector } from "./selector.ts";

const hour = 3_600_000;
const prompts = [
	{ text: "fix the tests\nand then run them again", at: 9.9 * hour },
	{ text: "explain the cart", at: 7 * hour },
	{ text: "explain the parser", at: hour },
];

const stored = {
	ofProject: () => [
		{ text: "rename the cart", at: 2 * hour, cwd: "/src/shop" },
		{ text: "explain the cart", at: hour, cwd: "/src/shop" },
	],
	ofAll: () => [{ text: "paint the shed", at: 3 * hour, cwd: "/src/garden" }],
};

function open() {
	const done: string[] = [];
	const picker = historySelector(testScreen(), {
		session: prompts,
		stored,
		now: 10 * hour,
		choose: (text) => void done.push(text),
		close: () => void done.push("closed"),
	});
	return { picker, done };
}

test("the newest comes first, with age and preview", () => {
	expect(frame(open().picker, 60)).toMatchInlineSnapshot(`
	  "
	  ── Earlier prompts ────────────────────────────────── 1/4 ──
	   This project  This session  Everywhere
	   >
	   ❯ fix the tests and then run them again    6m
	     explain the cart                         3h
	     rename the cart                          8h
	     explain the parser                       9h
	     fix the tests
	     and then run them again


	     enter edit · ctrl+r older · tab next tab · esc close
	  "
	`);
});

test("the key that opened it goes to older ones, words filter, and Enter puts a prompt into the editor", () => {
	const { picker, done } = open();
	typeInto(picker, "explain");
	press(picker, "ctrl+r", "enter");
	expect(done).toEqual(["closed", "explain the parser"]);
});

test("Tab continues with this session and to everywhere; this project has the prompts of both, each once", () => {
	const { picker } = open();
	expect(frame(picker, 60)).toContain("rename the cart");
	expect(frame(picker, 60).match(/explain the cart/g)).toHaveLength(1);
	press(picker, "tab");
	expect(frame(picker, 60)).not.toContain("rename the cart");
	press(picker, "tab");
	expect(frame(picker, 60)).toMatch(/paint the shed +7h +garden/);
});
