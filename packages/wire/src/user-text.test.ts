/** The text that a user typed is separated from its expansion for the model, in logs of Tau and of pi. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { invocationOf, userTextOf } from "./user-text.ts";

const head = '<skill name="pdf" location="/x/SKILL.md">';

describe("a message calls", () => {
	test.each([
		["what the log records as typed", { content: "Review a.ts.", called: "/review a.ts" }, "/review a.ts"],
		["a skill", { content: `${head}\nHow to.\n</skill>` }, "/skill:pdf"],
		[
			"a skill that has something to do",
			{ content: `${head}\nHow to.\n\n</skill>\n\nUser: read a.pdf\nand b.pdf` },
			"/skill:pdf read a.pdf\nand b.pdf",
		],
		[
			"a skill, in the format of newer versions of pi",
			{ content: `${head}\nHow.\n</skill>\n\nread it` },
			"/skill:pdf read it",
		],
		[
			"a skill beside an image",
			{ content: [{ type: "text", text: `${head}\nHow.\n</skill>` }, { type: "image" }] },
			"/skill:pdf",
		],
		["nothing if a skill is only mentioned", { content: `See ${head}\nHow to.\n</skill>` }, undefined],
		["nothing if a skill does not end", { content: `${head}\nHow to.` }, undefined],
		["nothing if the content is invalid", { content: 7, called: 7 }, undefined],
	])("%s", (_, message, called) => {
		expect(invocationOf({ role: "user", ...message })).toBe(called);
	});
});

test("only a user message is an invocation", () => {
	expect(invocationOf({ role: "assistant", content: `${head}\nHow to.\n</skill>` })).toBeUndefined();
	expect(invocationOf(undefined)).toBeUndefined();
});

test("property: without an invocation the text is what the user typed", () => {
	fc.assert(
		fc.property(fc.string(), (text) => {
			expect(userTextOf({ role: "user", content: text })).toBe(text);
			const parts = [
				{ type: "text", text },
				{ type: "image", data: "", mimeType: "" },
			];
			expect(userTextOf({ role: "user", content: parts })).toBe(text);
		}),
	);
});
