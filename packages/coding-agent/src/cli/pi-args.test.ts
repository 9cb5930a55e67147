/** Extensions parse a command line with pi's function and get pi's names. */
import { expect, test } from "bun:test";

import { parseArgs } from "./pi-args.ts";

test("a command line is parsed to pi's names, and an invalid one is reported", () => {
	const args = parseArgs([
		"-p",
		"--model",
		"x/y",
		"--thinking",
		"high",
		"--no-session",
		"--tools",
		"read,ls",
		"hello",
		"@a.txt",
	]);
	expect(args).toMatchObject({
		print: true,
		model: "x/y",
		thinking: "high",
		noSession: true,
		tools: ["read", "ls"],
		messages: ["hello"],
		fileArgs: ["a.txt"],
	});
	expect(parseArgs(["--model"]).diagnostics).toHaveLength(1);
});
