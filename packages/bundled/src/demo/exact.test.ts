/** Text that the demo passes through a shell stays exact. */
import { expect, test } from "bun:test";

import fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { createCommand, replaceCommand } from "./files.ts";
import { chunks } from "./speak.ts";
import { shellPath, shellQuote } from "./step.ts";
import { talk } from "./testing/conversation.ts";

/** Each run starts a bash. */
const fewRuns = { numRuns: 60 };

const nasty = fc.constantFrom(
	"'",
	'"',
	"\\",
	"&",
	"/",
	"$",
	"`",
	"\n",
	"*",
	"?",
	"[",
	"]",
	"!",
	"~",
	" ",
	"ü",
	"漢",
	"👍",
	"$(x)",
	"\\&",
	"\r",
	"a",
);
const text = fc.oneof(
	fc.array(nasty, { maxLength: 12 }).map((parts) => parts.join("")),
	fc.string({ unit: anyCharacter, maxLength: 12 }).map((value) => value.replaceAll("\0", "").toWellFormed()),
);

test("property: any text is one word for bash, unchanged", () => {
	fc.assert(
		fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (words) => {
			const script = `printf '%s\\0' ${words.map(shellQuote).join(" ")}`;
			const printed = Bun.spawnSync(["bash", "-c", script]).stdout.toString();
			expect(printed).toBe(words.map((word) => `${word}\0`).join(""));
		}),
		fewRuns,
	);
});

test("a path below the home folder is found there, and nothing in it is expanded", () => {
	const script = `printf %s ${shellPath("~/a b/$x*")}`;
	expect(Bun.spawnSync(["bash", "-c", script], { env: { HOME: "/h o" } }).stdout.toString()).toBe(
		"/h o/a b/$x*",
	);
});

test("property: replacing one text with another is exact", async () => {
	await using tau = await talk();
	await fc.assert(
		fc.asyncProperty(fc.tuple(text, text, text, text), async ([start, before, after, end]) => {
			fc.pre(before !== "");
			const file = start + before + end + before + before;
			await Bun.write(tau.file("a file's.txt"), file);
			const command = replaceCommand({ path: "a file's.txt", before, after });
			const { exitCode, stderr } = Bun.spawnSync(["bash", "-c", command], { cwd: tau.cwd });
			expect(stderr.toString()).toBe("");
			expect(exitCode).toBe(0);
			expect(await tau.file("a file's.txt").text()).toBe(file.split(before).join(after));
		}),
		fewRuns,
	);
});

test("property: a new file has exactly the text, whatever the text and the name", async () => {
	await using tau = await talk();
	let number = 0;
	await fc.assert(
		fc.asyncProperty(text, text, async (content, part) => {
			const path = `${number++}/-${part.replaceAll(/[/\n]/g, "")}`;
			const { exitCode } = Bun.spawnSync(["bash", "-c", createCommand({ path, text: content })], {
				cwd: tau.cwd,
			});
			expect(exitCode).toBe(0);
			expect(await tau.file(path).text()).toBe(content);
		}),
		fewRuns,
	);
});

test("property: the chunks add up to the text, and none splits a character", () => {
	fc.assert(
		fc.property(
			fc.string({ unit: anyCharacter, maxLength: 300 }),
			fc.integer({ min: 1, max: 20 }),
			(value, size) => {
				const whole = value.toWellFormed();
				const parts = [...chunks(whole, size)];
				expect(parts.join("")).toBe(whole);
				expect(parts.every((part) => part.isWellFormed() && part !== "")).toBe(true);
			},
		),
	);
});
