/** The built-in rules trigger where they should, and ignore what only looks similar. */
import { expect, test } from "bun:test";

import { AnswerWatch } from "../ttsr/answer-watch.ts";
import { StreamRules } from "../ttsr/stream-rules.ts";
import { builtinRules } from "./index.ts";

const rules = new StreamRules(builtinRules(), "/work");

/** The rules that a call triggers. */
async function calledFor(name: string, args: Record<string, unknown>): Promise<string[]> {
	const watch = new AnswerWatch({
		rules,
		mayInject: () => true,
		onProblem: (problem) => expect(problem).toBe(""),
	});
	const toolCall = { type: "toolCall" as const, id: "1", name, arguments: args };
	const sightings = await watch.onEvent(
		{ type: "toolcall_end", contentIndex: 0, toolCall, partial: undefined as never },
		undefined as never,
	);
	return (sightings?.rules ?? []).map(({ rule }) => rule.name);
}

const write = (content: string, path = "src/a.ts") => calledFor("write", { path, content });
const bash = (command: string) => calledFor("bash", { command });

test.each([
	[
		"no-placeholder-code",
		"function a() {}\n// ... rest of the file stays the same\n",
		"// ... and so it goes: 1, 2, 3\n",
	],
	["no-placeholder-code", "// your code here\n", "// the code of the country\n"],
	["no-skipped-tests", "describe.skip('a', () => {});\n", "iterator.skip(3);\n"],
	["no-silent-catch", "try { a(); } catch (error) {\n}\n", "try { a(); } catch {\n// gone already\n}\n"],
	["no-suppressed-checks", "// @ts-ignore\n", "// eslint-disable-next-line no-console -- it is a CLI\n"],
	["no-cast-to-any", "const a = b as any;\n", "// as any fool can see\nconst a = b as Any;\n"],
])("%s: %p, not %p", async (name, broken, fine) => {
	expect(await write(broken)).toEqual([name]);
	expect(await write(fine)).toEqual([]);
});

test("rules apply to other languages in their syntax", async () => {
	expect(await write("try:\n    a()\nexcept ValueError:\n    pass\n", "a.py")).toEqual(["no-silent-catch"]);
	expect(await write("import a  # noqa\n", "a.py")).toEqual(["no-suppressed-checks"]);
	expect(await write("import a  # noqa: F401\n", "a.py")).toEqual([]);
});

test.each([
	["no-force-push", "git push origin main --force", "git push origin main"],
	["no-force-push", "git reset --hard HEAD~3", "git reset --soft HEAD~1"],
	["no-hook-bypass", "git commit -m 'x' --no-verify", "git commit -m 'now'"],
])("%s: %p, not %p", async (name, broken, fine) => {
	expect(await bash(broken)).toEqual([name]);
	expect(await bash(fine)).toEqual([]);
});
