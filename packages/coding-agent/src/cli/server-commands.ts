/** The commands that serve other machines, programs and readers. */
import type { Command } from "./command.ts";
import type { Flag, FlagName } from "./flags.ts";

const json: Flag & { name: FlagName } = { name: "json", help: "print JSON" };

const brokerActions: Readonly<Record<string, readonly string[]>> = {
	status: [],
	serve: [],
	token: [],
	login: ["?provider"],
	logout: ["?provider"],
	list: [],
	import: ["file|dir…"],
	migrate: [],
};

const brokerFlags: readonly (Flag & { name: FlagName })[] = [
	{ name: "bind", value: "host:port", help: "serve: listen there (default 127.0.0.1:8765)" },
	{
		name: "host",
		value: "name",
		repeats: true,
		help: "serve: also answer to this name, of a proxy in front",
	},
	{ name: "regenerate", help: "token: replace it; clients with the old one are refused" },
	{ name: "via", value: "user@host", help: "login: on that machine by ssh, with the browser of this one" },
	{ name: "provider", value: "name", help: "import: the provider, for files that do not name it" },
	{ name: "include-disabled", help: "import: also what is marked as disabled" },
	{ name: "from-local", help: "migrate: send the credentials of this machine to the broker" },
	{ name: "include-oauth", help: "migrate: also logins; they end here" },
	{ name: "include-env", help: "migrate: also the keys of the environment" },
	{ name: "dry-run", help: "login --via, import, migrate: show what would be done" },
	json,
];

const taskActions: Readonly<Record<string, readonly string[]>> = {
	list: [],
	add: ["?prompt…"],
	show: ["id"],
	logs: ["id"],
	attach: ["id"],
	answer: ["id", "?answer…"],
	steer: ["id", "text…"],
	stop: ["?id…"],
	retry: ["id"],
	result: ["id"],
	cassette: ["id", "?file"],
	merge: ["id"],
	rm: ["id…"],
};

const taskFlags: readonly (Flag & { name: FlagName })[] = [
	{ name: "repo", value: "path|address", help: "add: the repository (default: the one of this directory)" },
	{ name: "ref", value: "ref", help: "add: the commit, branch or tag to start from (default: HEAD)" },
	{ name: "agent", value: "name", help: "add: as this agent, with its instructions, tools and model" },
	{ name: "budget", value: "dollars", help: "add: what the task may cost" },
	{ name: "count", value: "n", help: "add: this many tasks of the same kind" },
	{ name: "after", value: "id", repeats: true, help: "add: when this task is done; may be repeated" },
	{
		name: "label",
		value: "name",
		repeats: true,
		help: "add: only for workers with this label; list: only these",
	},
	{ name: "priority", value: "n", help: "add: higher ones are taken first (default 0)" },
	{ name: "tries", value: "n", help: "add: how often it is tried when it fails (default 3)" },
	{ name: "delay", value: "time", help: "add: not before: 90s, 10m, 2h, 1d" },
	{ name: "from", value: "file", help: "add: one task for each line of the file, or of standard input (-)" },
	{
		name: "matrix",
		value: "name=a,b",
		repeats: true,
		help: "add: one task for each value of {name} in the prompt",
	},
	{ name: "follow", short: "f", help: "logs: until the task is over" },
	{ name: "all", help: "stop: all tasks" },
	json,
];

export const serverCommands: readonly Command[] = [
	{
		name: "auth-broker",
		operand: { name: "action", choices: Object.keys(brokerActions), follows: brokerActions },
		help: "keep credentials on one machine, and lend them to others",
		takes: ["mode", "config", "profile"],
		flags: brokerFlags,
	},
	{
		name: "task",
		operand: { name: "action", choices: Object.keys(taskActions), follows: taskActions },
		help: "give tasks to workers, here or on other machines, and see what they do",
		takes: ["mode", "config", "profile", "model", "approval-mode", "trust", "use-theme", "screen-reader"],
		flags: taskFlags,
	},
	{
		name: "worker",
		help: "work on tasks, until it is stopped",
		takes: ["config", "profile"],
		flags: [
			{ name: "slots", value: "n", help: "how many tasks at once (default: fleet.slots)" },
			{ name: "labels", value: "names", help: "also take tasks with these labels: gpu,linux" },
			{ name: "until-idle", help: "end when there was nothing to do for a minute" },
			{ name: "once", help: "end after one task, or when there is none" },
			{
				name: "runner",
				value: "place",
				choices: ["process", "docker", "kubernetes"],
				help: "take no tasks, but start a worker there for each",
			},
		],
	},
	{
		name: "relay",
		operand: { name: "[host:port|port|/socket]", like: /^[\w.:[\]/-]+$/ },
		help: "run the server that members of shared sessions meet on",
		takes: [],
	},
	{
		name: "share",
		operand: { name: "[session] | list | rm <id> | open <link>", words: true },
		help: "share a session as a link, after showing what leaves; list, delete and open shares",
		takes: ["mode", "session-dir", "config", "profile"],
		flags: [
			{ name: "yes", short: "y", help: "share without a question, masked" },
			{ name: "dry-run", help: "show what would leave, and send nothing" },
		],
	},
];
