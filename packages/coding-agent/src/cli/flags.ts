/** The table of flags: parsing, `--help` and suggestions all read it. */
import { modeCommands } from "./command-table.ts";

export interface Flag {
	name: string;
	short?: string;
	/** The placeholder of the value in the help; absent for a switch. */
	value?: string;
	/** The allowed values, if there are few. */
	choices?: readonly string[];
	/** Aliases for some of them. */
	synonyms?: Readonly<Record<string, string>>;
	/** True when the value is optional. */
	optional?: true;
	/** Which argument after a flag with an optional value is its value; without it, any argument is. */
	takes?: RegExp;
	/** True if the flag may be repeated, and each value is used. */
	repeats?: true;
	/** True when an empty value is valid; for other flags it is an unset variable of the user's script. */
	mayBeEmpty?: true;
	/** The flag that this one is an alias of. */
	means?: string;
	/** True when an extension's flag of the same name takes precedence. */
	yields?: true;
	help: string;
}

export interface FlagSection {
	title: string;
	flags: readonly Flag[];
}

export const sections = [
	{
		title: "Running",
		flags: [
			{
				name: "print",
				short: "p",
				help: "print the answer and exit; without it Tau runs interactively",
			},
			{
				name: "mode",
				value: "mode",
				choices: ["text", "json", "codex-json", "rpc", ...modeCommands],
				help: "text (default), json (one event per line), rpc (commands on stdin), acp (for editors) or codex-json",
			},
			{
				name: "output-format",
				value: "format",
				choices: ["text", "json", "stream-json"],
				help: "print as Claude Code does: text, json (the result) or stream-json (each message)",
			},
			{
				name: "input-format",
				value: "format",
				choices: ["text", "stream-json"],
				help: "text (default) or stream-json: prompts from stdin, one JSON object per line",
			},
			{
				name: "output-schema",
				value: "schema",
				help: "with -p: print JSON that fits this JSON Schema (file or text)",
			},
			{
				name: "detach",
				help: "answer in the background and return at once; tau attach joins the session",
			},
			{ name: "cwd", value: "dir", help: "work in this directory" },
			{
				name: "worktree",
				value: "name",
				optional: true,
				// One word; anything else is a prompt.
				takes: /^\w[\w.-]{0,60}$/,
				help: "work in a git worktree of its own, on a branch tau/<name>; /worktree merge merges it",
			},
			{
				name: "add-dir",
				value: "dir",
				repeats: true,
				help: "also work in this directory; may be repeated",
			},
			{
				name: "machine",
				value: "machine",
				help: "work on another machine: ssh:host or ssh:host:/path",
			},
		],
	},
	{
		title: "Model",
		flags: [
			{
				name: "model",
				value: "model",
				help: "provider/id, id, part of an id, or a role (tau/smol); may end in :high",
			},
			{
				name: "provider",
				value: "provider",
				help: "provider of the model; not needed with --model provider/id",
			},
			{
				name: "models",
				value: "patterns",
				help: "limit the choice to these models, comma-separated: openai/*,*haiku*",
			},
			{
				name: "fallback-model",
				value: "models",
				help: "use these, comma-separated, when the model keeps failing; before fallbackModels",
			},
			{ name: "smol", value: "model", help: "model for small tasks in this run" },
			{ name: "slow", value: "model", help: "model for hard tasks in this run" },
			{
				name: "plan",
				value: "model",
				yields: true,
				help: "model for planning in this run; an extension may define its own --plan",
			},
			{
				name: "list-models",
				value: "search",
				optional: true,
				help: "list models with sizes, prices and missing keys",
			},
			{
				name: "thinking",
				value: "level",
				choices: ["off", "minimal", "low", "medium", "high", "xhigh", "max"],
				help: "thinking level: off, minimal, low, medium, high, xhigh, max",
			},
			{ name: "api-key", value: "key", help: "API key for this run only; not stored" },
			{ name: "base-url", value: "url", help: "address of the model's provider, for this run only" },
		],
	},
	{
		title: "Session",
		flags: [
			{ name: "continue", short: "c", help: "continue the most recent session in this directory" },
			{
				name: "resume",
				short: "r",
				value: "id",
				optional: true,
				// A file or the id of a session; anything else is a prompt.
				takes: /\.jsonl$|^[\da-f]{8}(?:-[\da-f]{0,4}){0,3}(?:-[\da-f]{0,12})?$/i,
				help: "choose a session of this directory to resume, or resume this one",
			},
			{ name: "session", value: "id", help: "resume this session: an id prefix or a file, which may be new" },
			{ name: "fork", value: "id", help: "fork this session" },
			{
				name: "session-id",
				value: "id",
				help: "resume the session with this id, or create it; with --fork: the new id",
			},
			{ name: "name", short: "n", value: "name", help: "name of the session" },
			{ name: "no-session", help: "don't save the session" },
			{ name: "session-dir", value: "dir", help: "store sessions in this directory" },
			{ name: "record", value: "file", help: "record the session into a cassette, which tau replay plays" },
			{ name: "export", value: "id", help: "export this session as HTML: --export <id> [file.html]" },
		],
	},
	{
		title: "Budget",
		flags: [
			{ name: "max-cost", value: "dollars", help: "stop when the session has cost this much" },
			{ name: "max-turns", value: "n", help: "stop after this many turns" },
			{ name: "max-tokens", value: "n", help: "stop when the session has used this many tokens" },
			{ name: "max-time", value: "duration", help: "stop after this time: 90s, 10m, 1h" },
		],
	},
	{
		title: "Prompt and tools",
		flags: [
			{
				name: "system-prompt",
				value: "text",
				mayBeEmpty: true,
				help: "replace the system prompt (text or file)",
			},
			{
				name: "append-system-prompt",
				value: "text",
				mayBeEmpty: true,
				repeats: true,
				help: "append to the system prompt (text or file); may be repeated",
			},
			{
				name: "no-context-files",
				short: "nc",
				help: "don't load AGENTS.md, CLAUDE.md and similar files, or rules",
			},
			{ name: "no-rules", help: "disable rules" },
			{ name: "no-mcp", help: "start no MCP servers" },
			{
				name: "tools",
				short: "t",
				value: "names",
				help: "only these tools (read,web_*) or change the set (+ls,-bash)",
			},
			{ name: "exclude-tools", short: "xt", value: "names", help: "all tools except these: bash,web_*" },
			{ name: "no-builtin-tools", short: "nbt", help: "disable built-in tools, keep those of extensions" },
			{ name: "no-tools", short: "nt", help: "disable all tools" },
			{
				name: "sandbox",
				value: "mode",
				choices: ["auto", "required", "off"],
				help: "run commands in a sandbox: auto, required or off",
			},
			{ name: "no-pty", help: "run no command of the model in a terminal" },
			{
				name: "extension",
				short: "e",
				value: "path",
				repeats: true,
				help: "also load this extension or package (npm:…); may be repeated",
			},
			{ name: "hook", value: "path", repeats: true, help: "same as --extension (omp's name)" },
			{
				name: "skill",
				value: "path",
				repeats: true,
				help: "also load this skill (file or directory); may be repeated",
			},
			{ name: "no-skills", short: "ns", help: "disable skills except those of --skill" },
			{
				name: "prompt-template",
				value: "path",
				repeats: true,
				help: "also load this prompt template; may be repeated",
			},
			{
				name: "no-prompt-templates",
				short: "np",
				help: "disable prompt templates except those of --prompt-template",
			},
			{ name: "no-extensions", short: "ne", help: "disable extensions except those of -e" },
			{ name: "trust", help: "trust this project's extensions for this run" },
			{ name: "ask-trust", help: "with --mode rpc: ask the client whether to trust this project" },
			{
				name: "project-key",
				value: "provider",
				repeats: true,
				help: "use this provider's key from the project's .env for this run",
			},
			{
				name: "approval-mode",
				value: "mode",
				choices: ["plan", "ask", "auto", "full"],
				// omp's modes.
				synonyms: { "always-ask": "ask", write: "auto", yolo: "full" },
				help: "when to ask before a tool runs: plan, ask, auto or full",
			},
			{ name: "auto-approve", help: "run everything without asking; same as --approval-mode full" },
			{ name: "yolo", means: "auto-approve", help: "same as --auto-approve (omp's name)" },
			{ name: "approve", short: "a", means: "trust", help: "same as --trust (pi's name)" },
			{ name: "no-approve", short: "na", help: "don't trust this project for this run" },
		],
	},
	{
		title: "Screen",
		flags: [
			{
				name: "theme",
				value: "path",
				repeats: true,
				help: "also load this theme (file or directory); may be repeated",
			},
			{
				name: "use-theme",
				value: "theme",
				help: "start with this theme; light/dark picks one to match the terminal",
			},
			{ name: "no-themes", help: "disable themes except the built-in ones and those of --theme" },
			{ name: "screen-reader", help: "no animation and no line drawing, for screen readers" },
			{ name: "verbose", help: "list everything that was loaded at startup" },
		],
	},
	{
		title: "Other",
		flags: [
			{ name: "offline", help: "no network access except the model provider" },
			{
				name: "config",
				value: "file",
				repeats: true,
				help: "settings file for this run (YAML or JSON); may be repeated",
			},
			{ name: "profile", value: "name", help: "use the settings and logins of this profile" },
			{ name: "help", short: "h", help: "show this help" },
			{ name: "version", short: "v", help: "show the version" },
		],
	},
] as const satisfies readonly FlagSection[];

/** Flags that only commands have. */
type CommandFlagName =
	| "global"
	| "project"
	| "all"
	| "format"
	| "from"
	| "dry-run"
	| "command"
	| "explain"
	| "split"
	| "forever"
	| "yes"
	| AcpFlagName
	| GatewayFlagName
	| BrokerFlagName
	| GrepFlagName
	| McpFlagName
	| PluginFlagName
	| StatsFlagName
	| FleetFlagName
	| CassetteFlagName
	| "port"
	| "no-open";
type FleetFlagName =
	| "agent"
	| "repo"
	| "ref"
	| "count"
	| "after"
	| "label"
	| "labels"
	| "priority"
	| "tries"
	| "delay"
	| "matrix"
	| "follow"
	| "slots"
	| "until-idle"
	| "once"
	| "runner";
type CassetteFlagName = "verify" | "speed" | "junit" | "output" | "web";
type StatsFlagName = "summary" | "csv" | "by" | "since";
type McpFlagName = "http" | "url" | "token" | "transport" | "header" | "env" | "timeout" | "always-load";
type GatewayFlagName =
	"no-auth" | "origin" | "redis" | "strict" | "name" | "budget" | "rpm" | "tpm" | "expires";
type BrokerFlagName =
	| "bind"
	| "host"
	| "regenerate"
	| "via"
	| "include-disabled"
	| "from-local"
	| "include-oauth"
	| "include-env";
type AcpFlagName = "draft" | "login" | "remove";
type PluginFlagName =
	"self" | "check" | "extensions" | "local" | "force" | "fix" | "json" | "enable" | "disable" | "set";
type GrepFlagName =
	"ignore-case" | "literal" | "multiline" | "context" | "glob" | "type" | "max-count" | "files" | "no-ignore";

export type FlagName = (typeof sections)[number]["flags"][number]["name"] | CommandFlagName;
