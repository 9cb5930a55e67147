/** The commands of the command line: their operands and flags. */
import { sourceWord } from "@tau/utils";

import type { Command } from "./command.ts";
import type { Flag, FlagName } from "./flags.ts";
import { backgroundCommands } from "./background-commands.ts";
import { cassetteCommands } from "./cassette-commands.ts";
import { serverCommands } from "./server-commands.ts";

const local: Flag & { name: FlagName } = {
	name: "local",
	short: "l",
	help: "use this project's packages (.tau/plugins) instead of yours",
};
const json: Flag & { name: FlagName } = { name: "json", help: "print one JSON object per line" };
const force: Flag & { name: FlagName } = {
	name: "force",
	help: "install: fetch again, or replace another package",
};

/** The general flags of a command that runs sessions. */
const directoryFlags = ["cwd", "add-dir", "config", "profile", "offline", "trust", "no-approve"] as const;
const modelFlags = [
	"model",
	"provider",
	"models",
	"smol",
	"slow",
	"thinking",
	"api-key",
	"base-url",
] as const;
const limitFlags = ["session-dir", "no-session", "max-cost", "max-turns", "max-tokens", "max-time"] as const;
const promptFlags = [
	"system-prompt",
	"append-system-prompt",
	"no-context-files",
	"no-rules",
	"skill",
] as const;
const toolFlags = [
	"tools",
	"exclude-tools",
	"no-builtin-tools",
	"no-tools",
	"sandbox",
	"no-pty",
	"extension",
	"no-extensions",
	"no-skills",
	"no-mcp",
	"approval-mode",
	"auto-approve",
] as const;

const mcpActions: Readonly<Record<string, readonly string[]>> = {
	list: [],
	show: ["name"],
	add: ["name", "command…"],
	remove: ["name"],
	rm: ["name"],
	enable: ["name"],
	disable: ["name"],
	test: ["name"],
	reauth: ["name"],
	unauth: ["name"],
	search: ["word…"],
	serve: [],
};

const memoryActions: Readonly<Record<string, readonly string[]>> = {
	view: [],
	list: ["?word…"],
	why: ["number"],
	delete: ["number", "?forever"],
	undo: [],
	log: [],
	review: [],
	accept: [],
	reject: [],
	update: [],
	rebuild: [],
	clear: ["?global|all", "?forever"],
	reset: ["?global|all", "?forever"],
	enqueue: [],
};

const mcpFlags: readonly (Flag & { name: FlagName })[] = [
	{ name: "project", help: "add: in .tau/mcp.json of this directory, instead of your own mcp.json" },
	{ name: "url", value: "url", help: "add: the address of the server" },
	{ name: "token", value: "token", help: "add: send this token to the address" },
	{ name: "header", value: "name: value", repeats: true, help: "add: send this header; may be repeated" },
	{ name: "transport", value: "type", choices: ["http", "sse"], help: "add: how the address is spoken to" },
	{ name: "env", value: "name=value", repeats: true, help: "add: set this variable for the command" },
	{ name: "timeout", value: "ms", help: "add: how long a call may take" },
	{ name: "always-load", help: "add: declare its tools in each request" },
	{
		name: "http",
		value: "port",
		optional: true,
		takes: /^\d+$/,
		help: "serve: on this port of 127.0.0.1 instead of standard input and output",
	},
	json,
];

const gatewayFlags: readonly (Flag & { name: FlagName })[] = [
	{ name: "bind", value: "host:port", help: "serve: listen there (default 127.0.0.1:4000)" },
	{ name: "no-auth", help: "serve: without a token; only for addresses of this machine" },
	{
		name: "host",
		value: "name",
		repeats: true,
		help: "serve: also answer to this name, of a proxy in front",
	},
	{ name: "origin", value: "url", repeats: true, help: "serve: let pages of this origin use it" },
	{ name: "redis", value: "url", help: "serve, key: share keys and limits with other nodes" },
	{ name: "regenerate", help: "token: replace it; clients with the old one are refused" },
	{ name: "strict", help: "check: exit with 1 if a credential fails" },
	{ name: "name", value: "name", help: "key create: who it is for" },
	{ name: "models", value: "patterns", help: "key create: only these models: anthropic/*,gpt-*" },
	{ name: "budget", value: "amount", help: "key create: dollars: 5/day, 50/month, or both: 5/day,50/month" },
	{ name: "rpm", value: "n", help: "key create: requests per minute" },
	{ name: "tpm", value: "n", help: "key create: tokens per minute" },
	{ name: "expires", value: "time", help: "key create: valid for this long: 12h, 30d" },
	json,
];

const pluginCommands: readonly Command[] = [
	{
		name: "plugin",
		operand: {
			name: "<action> […]",
			words: true,
			follows: {
				list: [],
				install: ["source…"],
				uninstall: ["package…"],
				link: ["path"],
				update: ["package…"],
				show: ["package"],
				"enable|disable": ["package", "part…"],
				features: ["package"],
				"config list|validate": ["package"],
				"config get|delete": ["package", "key"],
				"config set": ["package", "key", "value"],
				doctor: [],
			},
		},
		help: "install and manage packages",
		takes: ["mode", "trust"],
		flags: [
			local,
			json,
			force,
			{ name: "dry-run", help: "install: show what would be installed" },
			{ name: "fix", help: "doctor: repair what can be repaired" },
			{ name: "enable", value: "features", help: "features: enable these: a,b" },
			{ name: "disable", value: "features", help: "features: disable these" },
			{ name: "set", value: "features", mayBeEmpty: true, help: "features: enable exactly these" },
		],
	},
	{
		name: "install",
		operand: { name: "<npm:…|git:…|./path>…", like: sourceWord },
		help: "install packages from npm, git or a directory",
		takes: ["mode"],
		flags: [local, json, force, { name: "dry-run", help: "show what would be installed" }],
	},
	...["remove", "uninstall"].map((name): Command => ({
		name,
		operand: { name: "<package…>", words: true },
		help: name === "remove" ? "remove packages" : "same as remove",
		takes: ["mode"],
		flags: [local, json],
	})),
	{ name: "list", help: "list installed packages", takes: ["mode", "trust"], flags: [local, json] },
	{
		name: "update",
		operand: { name: "[package…]", words: true },
		help: "update Tau and packages; pinned ones are skipped",
		takes: ["mode"],
		flags: [
			local,
			json,
			{ name: "self", help: "Tau itself only" },
			{ name: "check", help: "look whether there is a newer Tau, and change nothing" },
			{ name: "all", help: "all packages, and not Tau itself" },
			{ name: "extensions", means: "all", help: "same as --all (pi's name)" },
		],
	},
];

export const commands: readonly Command[] = [
	{
		name: "login",
		operand: { name: "provider" },
		help: "log in to a provider, or store an API key",
		takes: ["extension", "no-extensions", "trust", "profile"],
		flags: [{ name: "api-key", help: "store an API key from a hidden prompt or standard input" }],
	},
	{
		name: "logout",
		operand: { name: "provider" },
		help: "remove the stored keys and logins of a provider",
		takes: ["extension", "no-extensions", "trust", "profile"],
	},
	{
		name: "auth",
		operand: { name: "status", choices: ["status"] },
		help: "show available keys and logins",
		takes: ["mode", "profile"],
	},
	...serverCommands,
	{
		name: "auth-gateway",
		operand: {
			name: "action",
			choices: ["status", "serve", "token", "check", "env", "key"],
			follows: {
				status: [],
				serve: [],
				token: [],
				check: [],
				env: ["claude|codex|openai|gemini"],
				key: ["create|list|revoke", "?id"],
			},
		},
		help: "serve your models to other programs, in each vendor's protocol",
		takes: ["mode", "config", "profile"],
		flags: gatewayFlags,
	},
	{
		name: "config",
		operand: {
			name: "action",
			choices: ["list", "get", "set", "unset", "path", "doc"],
			follows: {
				list: ["?search"],
				get: ["setting"],
				set: ["setting", "value"],
				unset: ["setting"],
				doc: ["setting"],
			},
		},
		help: "show, explain and change settings",
		takes: ["mode", "config", "profile"],
		flags: [
			{ name: "global", help: "in your own config.yml (default)" },
			{ name: "project", help: "in .tau/config.yml of the current directory" },
		],
	},
	{
		name: "sessions",
		operand: {
			name: "action",
			choices: ["list", "show", "rm", "export", "import", "restore", "doctor", "gc"],
			follows: {
				list: [],
				show: ["id"],
				rm: ["id"],
				export: ["id", "?file"],
				import: ["?file…"],
				restore: ["id", "?entry"],
				doctor: [],
				gc: [],
			},
		},
		help: "manage saved sessions",
		takes: ["mode", "session-dir", "config"],
		flags: [
			{ name: "all", help: "list the sessions of all directories" },
			{
				name: "format",
				value: "format",
				choices: ["html", "md", "json", "ipynb"],
				help: "export format: html (default), md, json or ipynb; or from the file extension",
			},
			{
				name: "from",
				value: "program",
				choices: ["claude", "codex", "gemini", "opencode"],
				help: "program to import from; without a file, imports all its sessions",
			},
			{ name: "dry-run", help: "gc, restore: show what would be done, without doing it" },
			{ name: "force", help: "restore: also overwrite files that were changed since" },
		],
	},
	...backgroundCommands,
	{
		name: "schedule",
		operand: {
			name: "action",
			choices: ["list", "add", "show", "rm", "run"],
			follows: {
				list: [],
				add: ['"every 2h"|"0 9 * * 1-5"', "prompt…"],
				show: ["number"],
				rm: ["number"],
				run: ["number"],
			},
		},
		help: "run prompts at given times, in the background",
		takes: ["mode", ...directoryFlags, ...modelFlags, ...limitFlags, ...promptFlags, ...toolFlags],
		flags: [json],
	},
	{
		name: "stats",
		help: "show what all sessions cost, here and in the browser",
		takes: ["mode", "session-dir", "config", "profile"],
		flags: [
			{ name: "summary", short: "s", help: "print the summary, and open no page" },
			{ name: "json", short: "j", help: "print everything as JSON; with --by, that table" },
			{ name: "csv", help: "print a table as CSV: by day, or as --by says" },
			{
				name: "by",
				value: "what",
				choices: ["model", "project", "day", "tool", "agent"],
				help: "print one table: by model, project, day, tool or agent",
			},
			{ name: "since", value: "time", help: "only since then: 24h, 7d, 4w, today, or 2026-11-01" },
			{ name: "port", value: "port", help: "serve the page on this port of 127.0.0.1" },
			{ name: "no-open", help: "print the link of the page, and open no browser" },
		],
	},
	{
		name: "completion",
		operand: { name: "<bash|zsh|fish>", choices: ["bash", "zsh", "fish"], words: true },
		help: "print a script that completes tau's command line",
		takes: ["session-dir", "config", "profile"],
	},
	{
		name: "grep",
		operand: { name: "<pattern> [path…]", words: true },
		help: "search files (same engine as the grep tool)",
		takes: [],
		flags: [
			{ name: "ignore-case", short: "i", help: "ignore case" },
			{ name: "literal", short: "F", help: "match the pattern as literal text" },
			{ name: "multiline", short: "U", help: "let matches span lines" },
			{ name: "context", short: "C", value: "lines", help: "show lines around each match" },
			{
				name: "glob",
				short: "g",
				value: "glob",
				repeats: true,
				help: "only matching files: *.ts, src/**, !*.test.ts",
			},
			{
				name: "type",
				short: "t",
				value: "type",
				repeats: true,
				help: "only files of a ripgrep type: ts, py",
			},
			{ name: "max-count", short: "m", value: "n", help: "at most this many matching lines per file" },
			{ name: "files", short: "l", help: "print only file names" },
			{ name: "no-ignore", help: "include files that .gitignore and similar exclude" },
		],
	},
	{
		name: "shell",
		help: "run commands in the shell of the bash tool",
		takes: [],
		flags: [
			{ name: "command", short: "c", value: "command", help: "run this command and exit with its code" },
		],
	},
	{
		name: "sandbox",
		operand: { name: "[command…]", words: true },
		help: "run a command in the sandbox, as the model's would",
		takes: ["config", "add-dir"],
		flags: [
			{ name: "explain", help: "show what a command can see, write and reach" },
			{ name: "json", help: "with --explain: print it as JSON" },
		],
	},
	{
		name: "doctor",
		help: "check model, key, sandbox, git, terminal and files, with a fix for each problem",
		takes: ["mode", "config", "trust"],
		flags: [{ name: "json", help: "print the report as JSON" }],
	},
	{
		name: "setup",
		operand: {
			name: "what",
			choices: ["list", "install", "lsp", "import", "acp"],
			follows: { list: [], install: ["?component…"], lsp: [], import: [], acp: [] },
		},
		help: "list what Tau can use here, and install what is missing",
		takes: ["mode", "config"],
		flags: [
			{ name: "yes", help: "install, import or add to editors without a question" },
			{ name: "remove", help: "with acp: remove Tau from editors again" },
		],
	},
	{
		name: "acp",
		isMode: true,
		help: "be the agent of an editor (Agent Client Protocol)",
		takes: [...directoryFlags, ...modelFlags, ...limitFlags, ...promptFlags, ...toolFlags],
		flags: [
			{ name: "login", help: "log in to a provider instead, in a terminal that the editor opens" },
			{ name: "draft", help: "also speak version 2 of the protocol, which is a draft" },
		],
	},
	{
		name: "mcp",
		operand: {
			name: "action",
			choices: Object.keys(mcpActions),
			follows: mcpActions,
		},
		help: "manage MCP servers, or be one (serve)",
		takes: [...directoryFlags, ...modelFlags, ...limitFlags, ...promptFlags, ...toolFlags, "mode"],
		flags: mcpFlags,
	},
	{
		name: "commit",
		operand: { name: "[what it is about]", words: true },
		help: "commit changes, with messages written from the diff",
		takes: ["model", "provider", "api-key", "base-url", "config", "profile", "trust"],
		flags: [
			{ name: "all", help: "all changes, also if some are staged" },
			{ name: "split", help: "divide the change into atomic commits" },
			{ name: "dry-run", help: "show the commits, and make none" },
			{ name: "yes", short: "y", help: "commit without a question" },
			{ name: "json", help: "print one JSON object per commit" },
		],
	},
	{
		name: "review",
		operand: { name: "[branch|commit|#pr]", words: true },
		help: "review changes; exits 1 if changes are requested",
		takes: [...modelFlags, ...limitFlags, "config", "profile", "trust"],
		flags: [{ name: "json", help: "print the verdict and the findings as JSON" }],
	},
	{
		name: "memory",
		operand: { name: "action", choices: Object.keys(memoryActions), follows: memoryActions },
		help: "show and change what is remembered of past sessions",
		takes: [...modelFlags, "mode", "config", "profile", "trust", "session-dir"],
		flags: [
			{ name: "forever", help: "delete, clear: also from the undo log" },
			{ name: "yes", short: "y", help: "clear without a question" },
		],
	},
	{
		name: "trees",
		operand: {
			name: "action",
			choices: ["list", "show", "merge"],
			follows: { list: [], show: ["id"], merge: ["id"] },
		},
		help: "list, show and merge work that agents left in trees",
		takes: ["mode", "auto-approve"],
	},
	...cassetteCommands,
	...pluginCommands,
	{ name: "help", operand: { name: "command" }, help: "show this help, or the help of a command" },
	{ name: "version", help: "show the version" },
];

/** The commands that are modes. */
export const modeCommands: readonly string[] = commands.flatMap(({ name, isMode }) => (isMode ? [name] : []));

/** Names that are no commands here: a user who types one gets an answer and not a paid conversation about it. */
export const otherNames: ReadonlyMap<string, string> = new Map([
	["collab", "is /collab in a session"],
	["gateway", "is called tau auth-gateway"],
	["launch", "is omp's name for tau alone"],
	["serve", "is called tau web, or tau --mode rpc for programs"],
]);
