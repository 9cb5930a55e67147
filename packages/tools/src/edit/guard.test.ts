/** An edit is interrupted while it streams if its complete values show that it cannot succeed. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { testToolEnv } from "../../../../test/support/tool-env.ts";
import type { EditMode } from "../files/edit-mode.ts";
import { fileTag } from "../files/hashline.ts";
import { recordRead } from "../files/snapshots.ts";
import { StreamedEdit } from "./guard.ts";

const text = "function add(a, b) {\n\treturn a + b;\n}\n\nfunction sub(a, b) {\n\treturn a - b;\n}\n";

/** The guard's decision for partial arguments. */
async function judge(
	mode: EditMode,
	args: string | Record<string, unknown>,
	seen?: string,
): Promise<string | undefined> {
	await using env = await testToolEnv();
	await env.settings.set("edit.mode", mode, "session");
	if (seen !== undefined) await recordRead(env, env.resolve("f"), seen);
	writeFileSync(env.resolve("f"), text);
	const edit = new StreamedEdit(env);
	for (const unit of typeof args === "string" ? args.split("") : JSON.stringify(args).split("")) {
		const verdict = await edit.push(unit);
		if (!verdict.ok) return verdict.reason.split("\n")[0];
	}
	return "continues";
}

const oldText = (lines: string) => `"oldText":${JSON.stringify(lines)}`;
const patching = (...lines: string[]) =>
	`{"input":${JSON.stringify(["*** Begin Patch", "*** Update File: f", ...lines].join("\n")).slice(0, -1)}`;
const tagged = (edits: string, tag = fileTag(text)) => `{"path":"f","tag":"${tag}","edits":[${edits}`;
const nearest = "The closest match is at line 1; - is";

const cases: [what: string, mode: EditMode, args: string, outcome: string][] = [
	["nothing yet", "replace", "{", "continues"],
	["a path that may continue", "replace", '{"edits":[{"oldText":"qqqq"}],"path":"nowhe', "continues"],
	["a path before any edit", "replace", '{"path":"nowhere","edits":[', "continues"],
	["a missing file", "replace", `{"path":"nowhere","edits":[{${oldText("a")}`, "There is no file nowhere."],
	["text that may continue", "replace", '{"path":"f","edits":[{"oldText":"function mul(x)\\n', "continues"],
	[
		"text that exists",
		"replace",
		`{"path":"f","edits":[{${oldText("function add(a, b) {\n\tretu")}`,
		"continues",
	],
	[
		"text with other blanks",
		"replace",
		`{"path":"f","edits":[{${oldText("\n  function  add(a, b) {\n")}`,
		"continues",
	],
	[
		"text that does not exist",
		"replace",
		`{"path":"f","edits":[{${oldText("function mul(a, b) {\n")}`,
		`oldText does not occur in f. ${nearest} oldText, + is the file:`,
	],
	[
		"two lines that exist, but not together",
		"replace",
		`{"path":"f","edits":[{${oldText("function add(a, b) {\n\treturn a - b;\n")}`,
		`oldText does not occur in f. ${nearest} oldText, + is the file:`,
	],
	["new text before the old", "replace", '{"path":"f","edits":[{"newText":"qqqq","oldText":"q', "continues"],
	[
		"missing old text after the new",
		"replace",
		'{"path":"f","edits":[{"newText":"a","oldText":"qqqq"',
		"oldText does not occur in f.",
	],
	[
		"a second edit that is wrong, and a path that comes last",
		"replace",
		`{"edits":[{${oldText("return")},"newText":"","all":true},{${oldText("qqqq")},"newText":""}],"path":"f"`,
		"oldText does not occur in f.",
	],
	["edits that are a text themselves", "replace", '{"path":"f","edits":"[{}]"', "continues"],
	["no edits yet", "hashline", '{"path":"f","tag":"XX"', "continues"],
	["numbers that may continue", "hashline", tagged('{"from":900'), "continues"],
	["numbers that are in the file", "hashline", tagged('{"from":2,"to":3,'), "continues"],
	["numbers past the end", "hashline", tagged('{"from":2,"to":30,'), "f has only 7 lines."],
	[
		"numbers past the end behind the text",
		"hashline",
		tagged('{"text":"x","from":20,'),
		"f has only 7 lines.",
	],
	["numbers that are texts", "hashline", tagged('{"from":2,"to":"30"},{"text"'), "continues"],
	["an insertion past the end", "hashline", tagged('{"after":8,'), "f has only 7 lines."],
	[
		"a header that was copied",
		"hashline",
		`{"path":"[f#${fileTag(text)}]","tag":"#${fileTag(text).toLowerCase()}","edits":[{"from":2,`,
		"continues",
	],
	[
		"an unknown tag",
		"hashline",
		tagged('{"from":2,', "ZZZZ"),
		"f has changed since that tag: read it again.",
	],
	["no patch yet", "apply_patch", '{"input":"*** Beg', "continues"],
	["blank lines before a patch", "apply_patch", '{"input":"\\n \\n', "continues"],
	[
		"something else than a patch",
		"apply_patch",
		'{"input":"diff --git a b\\n',
		'Invalid patch, line 1: a patch must start with "*** Begin Patch". Nothing was changed.',
	],
	["a path that may continue", "apply_patch", '{"input":"*** Begin Patch\\n*** Update File: g', "continues"],
	[
		"a missing file",
		"apply_patch",
		'{"input":"*** Begin Patch\\n*** Update File: g\\n@@\\n-a\\n',
		"There is no file g to update. Nothing was changed.",
	],
	["a new file that exists", "apply_patch", '{"input":"*** Begin Patch\\n*** Add File: f\\n', "continues"],
	[
		"a file that is added twice",
		"apply_patch",
		'{"input":"*** Begin Patch\\n*** Add File: g\\n+a\\n*** Add File: g\\n',
		"The patch adds g twice. Use *** Update File for the second change. Nothing was changed.",
	],
	[
		"a hunk that fits so far",
		"apply_patch",
		patching("@@", " function add(a, b) {", "-\treturn a + b;", "+\tretu"),
		"continues",
	],
	[
		"an end that is indented",
		"apply_patch",
		patching("@@", " function add(a, b) {", "-\treturn a + b;", " *** End Patch", ""),
		"continues",
	],
	[
		"a hunk that does not fit",
		"apply_patch",
		patching("@@", " function mul(a, b) {", "-\tret"),
		`The hunk does not match f. ${nearest} the patch, + is the file:`,
	],
	[
		"a hunk before it that fits twice",
		"apply_patch",
		patching("@@", "-}", "@@", " x"),
		"The hunk in line 3 of the patch matches f at lines 3, 7: give more lines of context, or an @@ line above the change. Nothing was changed.",
	],
	[
		"a whole patch that changes nothing",
		"apply_patch",
		`${patching("@@ function sub(a, b) {", "-}", "+}", "*** End Patch")}"`,
		"The hunks for f change nothing. Nothing was changed.",
	],
];
test.each(cases)("%s", async (_, mode, args, outcome) => {
	expect(await judge(mode, args)).toBe(outcome);
});

test("lines of an earlier read are found again, or not; an end that may still arrive is waited for", async () => {
	const old = text.replace("a + b", "a+b");
	const call = (edit: string) => judge("hashline", tagged(edit, fileTag(old)), old);
	expect(await call('{"from":6,"text":""},{"')).toBe("continues");
	expect(await call('{"from":2,"text":""')).toBe("continues");
	expect(await call('{"from":2,"text":""},{"')).toStartWith("f has changed");
	expect(await call('{"text":"","from":2,"to":2,')).toStartWith("f has changed");
});
