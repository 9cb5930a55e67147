/** A session in the background has the flags of the command line, without the prompt. */
import { expect, test } from "bun:test";

import { parseArgs } from "../../args.ts";
import { argvOf } from "./argv-of.ts";

test.each([
	[["--model", "a/b:high", "--tools", "read,bash", "-e", "./one.ts", "-e", "./two.ts", "fix it"]],
	[["--no-mcp", "--approval-mode=ask", "-c", "@notes.md", "go on"]],
	[["--append-system-prompt", "--be brief--", "--session", "0123", "x"]],
])("%j", (argv) => {
	const args = parseArgs(argv);
	const again = parseArgs(argvOf(args));
	expect(again.flags).toEqual(args.flags);
	expect(again.repeated).toEqual(args.repeated);
	expect([again.messages, again.files]).toEqual([[], []]);
});

test("what is about the process that was started is left out", () => {
	const args = parseArgs(["--detach", "--cwd", "/tmp", "--offline", "x"]);
	expect(argvOf(args)).toEqual(["--offline"]);
});
