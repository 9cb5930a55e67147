/** The commands of recordings: their operands and flags. */
import type { Command } from "./command.ts";

export const cassetteCommands: readonly Command[] = [
	{
		name: "cassette",
		operand: {
			name: "action",
			choices: ["make", "show"],
			follows: { make: ["session", "?file"], show: ["file"] },
		},
		help: "make a recording of a saved session, or show what one has",
		takes: ["mode", "session-dir", "config", "profile"],
	},
	{
		name: "replay",
		operand: { name: "<file.cassette…> [prompt]", words: true },
		help: "watch a recording, verify it, or continue from it",
		takes: [
			"mode",
			"config",
			"profile",
			"trust",
			"no-approve",
			"model",
			"provider",
			"thinking",
			"api-key",
			"base-url",
			"system-prompt",
			"append-system-prompt",
			"no-context-files",
			"no-rules",
			"extension",
			"no-extensions",
			"no-skills",
			"no-mcp",
			"sandbox",
			"approval-mode",
			"session-dir",
			"use-theme",
			"screen-reader",
		],
		flags: [
			{
				name: "verify",
				help: "run its tools again in a copy of this directory; exits 1 if something differs",
			},
			{ name: "junit", value: "file", help: "--verify: also write the report as JUnit XML" },
			{ name: "fork", value: "n", help: "continue from answer n, with another --model or another prompt" },
			{ name: "speed", value: "times", help: "play so many times as fast (default 1)" },
			{ name: "web", help: "play it in the browser" },
			{ name: "output", short: "o", value: "file.html", help: "write it as a page that plays it" },
			{ name: "no-open", help: "--web: only print the link" },
			{ name: "json", help: "print its frames as JSON, at once" },
		],
	},
	{
		name: "bug",
		operand: { name: "[session]", words: true },
		help: "make a bug report: the last session as a masked recording",
		takes: ["session-dir", "config", "profile"],
		flags: [
			{ name: "output", short: "o", value: "file", help: "write it there" },
			{ name: "yes", short: "y", help: "write it without a question" },
		],
	},
];
