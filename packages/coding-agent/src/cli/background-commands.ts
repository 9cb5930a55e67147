/** The commands about sessions that run in other terminals, and in none. */
import type { Command } from "./command.ts";
import type { Flag, FlagName } from "./flags.ts";

const json: Flag & { name: FlagName } = { name: "json", help: "print one JSON object per line" };

export const backgroundCommands: readonly Command[] = [
	{
		name: "attach",
		operand: { name: "running-id" },
		help: "join a session that runs on this machine",
		takes: ["use-theme", "screen-reader", "config", "profile"],
	},
	{
		name: "join",
		operand: { name: "<link>", words: true },
		help: "join a shared session (/collab)",
		takes: ["use-theme", "screen-reader", "config", "profile"],
	},
	{
		name: "ps",
		help: "list the sessions that run on this machine",
		takes: ["mode"],
		flags: [json],
	},
	{
		name: "daemon",
		operand: {
			name: "action",
			choices: ["status", "run", "stop", "unit"],
			follows: { status: [], run: [], stop: ["?running-id"], unit: [] },
		},
		help: "show, run or stop what keeps detached sessions, or stop one of them",
		takes: ["mode"],
		flags: [json],
	},
	{
		name: "web",
		operand: { name: "action", choices: ["open", "status", "stop", "logout"] },
		help: "work on your sessions in the browser, on this machine",
		takes: ["mode", "config", "profile"],
		flags: [
			{ name: "port", value: "port", help: "listen on this port of 127.0.0.1" },
			{ name: "no-open", help: "print the link, and open no browser" },
			json,
		],
	},
];
