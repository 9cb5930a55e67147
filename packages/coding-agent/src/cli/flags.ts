/** The table of flags: parsing, `--help` and suggestions all read it. */
import { sourceWord } from "@tau/utils";

export interface Flag {
	name: string;
	short?: string;
	/** What stands for the value in the help; absent for a switch. */
	value?: string;
	/** Allowed values, where they are few. */
	choices?: readonly string[];
	/** Other words for some of them. */
	synonyms?: Readonly<Record<string, string>>;
	/** It may stand without its value. */
	optional?: true;
	/** It may be given several times, and each counts. */
	repeats?: true;
	/** An empty value says something too; elsewhere it is an unset variable of the person's script. */
	mayBeEmpty?: true;
	/** It is another word for this flag. */
	means?: string;
	/** An extension that has a flag of this name is meant by it. */
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
				help: "print the answer and exit; without it Tau opens on a terminal",
			},
			{
				name: "mode",
				value: "mode",
				choices: ["text", "json", "rpc"],
				help: "text (default), json: one event a line, or rpc: commands on stdin",
			},
		],
	},
	{
		title: "Model",
		flags: [
			{
				name: "model",
				value: "model",
				help: "provider/id, an id, a role as tau/smol, or a part; :high may follow",
			},
			{ name: "provider", value: "provider", help: "whose model; with --model provider/id not needed" },
			{
				name: "models",
				value: "patterns",
				help: "choose among these, separated by commas: openai/*,*haiku*",
			},
			{ name: "smol", value: "model", help: "the model for small jobs, in this run" },
			{ name: "slow", value: "model", help: "the model for hard jobs, in this run" },
			{
				name: "plan",
				value: "model",
				yields: true,
				help: "the model for plans, in this run; an extension may have its own --plan",
			},
			{
				name: "list-models",
				value: "search",
				optional: true,
				help: "list models with sizes, prices and what is missing to use them",
			},
			{
				name: "thinking",
				value: "level",
				choices: ["off", "minimal", "low", "medium", "high", "xhigh"],
				// pi's highest level, which is as much as the model can.
				synonyms: { max: "xhigh" },
				help: "how much the model thinks: off, minimal, low, medium, high, xhigh",
			},
			{ name: "api-key", value: "key", help: "key for this run only; it is not stored" },
		],
	},
	{
		title: "Session",
		flags: [
			{ name: "continue", short: "c", help: "go on with the last session of this directory" },
			{ name: "resume", short: "r", help: "choose the session of this directory to go on with" },
			{ name: "session", value: "id", help: "go on with this session: a file, or the beginning of an id" },
			{ name: "fork", value: "id", help: "go on in a copy of this session" },
			{
				name: "session-id",
				value: "id",
				help: "go on with this session, or begin it; with --fork: the id of the copy",
			},
			{ name: "name", short: "n", value: "name", help: "what the session is called" },
			{ name: "no-session", help: "keep nothing of this conversation on disk" },
			{ name: "session-dir", value: "dir", help: "keep sessions in this directory" },
			{ name: "export", value: "id", help: "write this session as a page: --export <id> [file.html]" },
		],
	},
	{
		title: "Budget",
		flags: [
			{ name: "max-cost", value: "dollars", help: "stop when the session has cost this much" },
			{ name: "max-turns", value: "n", help: "stop after this many turns" },
			{ name: "max-tokens", value: "n", help: "stop when the session has used this many tokens" },
		],
	},
	{
		title: "Prompt and tools",
		flags: [
			{
				name: "system-prompt",
				value: "text",
				mayBeEmpty: true,
				help: "replace the system prompt, by words or by those of a file",
			},
			{
				name: "append-system-prompt",
				value: "text",
				mayBeEmpty: true,
				repeats: true,
				help: "add to the system prompt: words or a file; may be repeated",
			},
			{
				name: "no-context-files",
				short: "nc",
				help: "do not read AGENTS.md, CLAUDE.md and the like, nor rules",
			},
			{ name: "no-rules", help: "have no rules" },
			{
				name: "tools",
				short: "t",
				value: "names",
				help: "only these tools: read,web_*; or other than usual: +ls,-bash",
			},
			{ name: "exclude-tools", short: "xt", value: "names", help: "all tools but these: bash,web_*" },
			{ name: "no-builtin-tools", short: "nbt", help: "of the tools only those of extensions" },
			{ name: "no-tools", short: "nt", help: "allow no tools" },
			{
				name: "extension",
				short: "e",
				value: "path",
				repeats: true,
				help: "load this extension or package (npm:…) too; may be repeated",
			},
			{ name: "hook", value: "path", repeats: true, help: "the same as --extension, by omp's name" },
			{
				name: "skill",
				value: "path",
				repeats: true,
				help: "have this skill too, a file or a directory; may be repeated",
			},
			{ name: "no-skills", short: "ns", help: "have no skills but those of --skill" },
			{
				name: "prompt-template",
				value: "path",
				repeats: true,
				help: "have this prompt template too; may be repeated",
			},
			{ name: "no-prompt-templates", short: "np", help: "have none but those of --prompt-template" },
			{ name: "no-extensions", short: "ne", help: "load no extensions but those of -e" },
			{ name: "trust", help: "let the extensions of this project run, this time" },
			{
				name: "project-key",
				value: "provider",
				repeats: true,
				help: "use this provider's key from the project's .env, this time",
			},
			{ name: "approve", short: "a", means: "trust", help: "the same as --trust, by pi's name" },
			{ name: "no-approve", short: "na", help: "let nothing of this project run, this time" },
		],
	},
	{
		title: "Screen",
		flags: [
			{
				name: "theme",
				value: "path",
				repeats: true,
				help: "have this theme too, a file or a directory; may be repeated",
			},
			{
				name: "use-theme",
				value: "name",
				help: "begin with this theme; light/dark: by the terminal's light",
			},
			{ name: "no-themes", help: "have no themes but Tau's own and those of --theme" },
			{ name: "verbose", help: "show at the beginning everything that was loaded" },
		],
	},
	{
		title: "Other",
		flags: [
			{ name: "offline", help: "ask no server but the model's own; packages stay as they are" },
			{
				name: "config",
				value: "file",
				repeats: true,
				help: "settings for this run, YAML or JSON; may be given several times",
			},
			{ name: "help", short: "h", help: "show this help" },
			{ name: "version", short: "v", help: "show the version" },
		],
	},
] as const satisfies readonly FlagSection[];

/** Flags that only commands have. */
type CommandFlagName =
	"global" | "project" | "all" | "format" | "from" | "dry-run" | "command" | GrepFlagName | PluginFlagName;
type PluginFlagName = "extensions" | "local" | "force" | "fix" | "json" | "enable" | "disable" | "set";
type GrepFlagName =
	"ignore-case" | "literal" | "multiline" | "context" | "glob" | "type" | "max-count" | "files" | "no-ignore";

export type FlagName = (typeof sections)[number]["flags"][number]["name"] | CommandFlagName;

export interface Command {
	name: string;
	/** What may follow: one word, unless the operand says more. */
	operand?: Operand;
	help: string;
	/** General flags that mean something here besides --help; absent where any may stand. */
	takes?: readonly FlagName[];
	/** Flags of its own: after its name they stand for the general ones of the same name. */
	flags?: readonly (Flag & { name: FlagName })[];
}

export interface Operand {
	name: string;
	/** Allowed words, where they are few; the first is meant when none is there. */
	choices?: readonly string[];
	/** What may stand behind each of the choices; a name that ends in … stands for any number of words. */
	follows?: Readonly<Record<string, readonly string[]>>;
	/** Any number of words may follow, whatever they look like; `name` then says which. */
	words?: true;
	/** Any number of words that look like this may follow. */
	like?: RegExp;
}

const local: Flag & { name: FlagName } = {
	name: "local",
	short: "l",
	help: "in this project, .tau/plugins, instead of your own",
};
const json: Flag & { name: FlagName } = { name: "json", help: "print one JSON object a line" };
const force: Flag & { name: FlagName } = {
	name: "force",
	help: "install: fetch again, or take the place of another package",
};

const pluginCommands: readonly Command[] = [
	{
		name: "plugin",
		operand: {
			name: "<action> […]",
			words: true,
			follows: {
				list: [],
				install: ["source…"],
				uninstall: ["name…"],
				link: ["path"],
				update: ["name…"],
				show: ["name"],
				"enable|disable": ["name", "part…"],
				features: ["name"],
				"config list|validate": ["name"],
				"config get|delete": ["name", "setting"],
				"config set": ["name", "setting", "value"],
				doctor: [],
			},
		},
		help: "install packages, and look after them",
		takes: ["mode"],
		flags: [
			local,
			json,
			force,
			{ name: "dry-run", help: "install: say what would be installed" },
			{ name: "fix", help: "doctor: put right what can be" },
			{ name: "enable", value: "features", help: "features: switch these on: a,b" },
			{ name: "disable", value: "features", help: "features: switch these off" },
			{ name: "set", value: "features", mayBeEmpty: true, help: "features: exactly these" },
		],
	},
	{
		name: "install",
		operand: { name: "<npm:…|git:…|./path>…", like: sourceWord },
		help: "install packages from npm, git or a directory",
		takes: ["mode"],
		flags: [local, json, force, { name: "dry-run", help: "say what would be installed" }],
	},
	...["remove", "uninstall"].map((name): Command => ({
		name,
		operand: { name: "<name…>", words: true },
		help: name === "remove" ? "remove packages" : "the same as remove",
		takes: ["mode"],
		flags: [local, json],
	})),
	{ name: "list", help: "show the packages that there are", takes: ["mode"], flags: [local, json] },
	{
		name: "update",
		operand: { name: "[name…]", words: true },
		help: "bring packages up to date; pinned ones stay",
		takes: ["mode"],
		flags: [
			local,
			json,
			{ name: "all", help: "all of them; so without a source" },
			{ name: "extensions", means: "all", help: "the same as --all, by pi's name" },
		],
	},
];

export const commands: readonly Command[] = [
	{
		name: "login",
		operand: { name: "provider" },
		help: "log in to a provider, or keep a key for it",
		takes: ["extension", "no-extensions", "trust"],
		flags: [{ name: "api-key", help: "keep a key: typed in unseen, or from standard input" }],
	},
	{
		name: "logout",
		operand: { name: "provider" },
		help: "forget the keys and logins of a provider",
		takes: ["extension", "no-extensions", "trust"],
	},
	{
		name: "auth",
		operand: { name: "status", choices: ["status"] },
		help: "show the keys and logins that there are",
		takes: ["mode"],
	},
	{
		name: "config",
		operand: {
			name: "action",
			choices: ["list", "get", "set", "unset", "path", "doc"],
			follows: {
				list: ["search"],
				get: ["setting"],
				set: ["setting", "value"],
				unset: ["setting"],
				doc: ["setting"],
			},
		},
		help: "show, explain and change settings",
		takes: ["mode", "config"],
		flags: [
			{ name: "global", help: "in your own config.yml; so without a flag" },
			{ name: "project", help: "in .tau/config.yml of the current directory" },
		],
	},
	{
		name: "sessions",
		operand: {
			name: "action",
			choices: ["list", "show", "rm", "export", "import", "doctor", "gc"],
			follows: {
				list: [],
				show: ["id"],
				rm: ["id"],
				export: ["id", "file"],
				import: ["file…"],
				doctor: [],
				gc: [],
			},
		},
		help: "look after the sessions that are kept",
		takes: ["mode", "session-dir", "config"],
		flags: [
			{ name: "all", help: "list those of every directory" },
			{
				name: "format",
				value: "format",
				choices: ["html", "md", "json"],
				help: "what to export: html (default), md or json; the file's ending says it too",
			},
			{
				name: "from",
				value: "program",
				choices: ["claude", "codex"],
				help: "whose sessions to import; without a file, all of that program",
			},
			{ name: "dry-run", help: "gc: say what would be removed, and remove nothing" },
		],
	},
	{
		name: "grep",
		operand: { name: "<pattern> [path…]", words: true },
		help: "search files with the engine of the model's tool",
		takes: [],
		flags: [
			{ name: "ignore-case", short: "i", help: "A is a" },
			{ name: "literal", short: "F", help: "the pattern is text, not a regex" },
			{ name: "multiline", short: "U", help: "a match may span lines" },
			{ name: "context", short: "C", value: "lines", help: "show lines around each match" },
			{
				name: "glob",
				short: "g",
				value: "glob",
				repeats: true,
				help: "only such files: *.ts, src/**, !*.test.ts",
			},
			{
				name: "type",
				short: "t",
				value: "type",
				repeats: true,
				help: "only files of a type that ripgrep knows: ts, py",
			},
			{ name: "max-count", short: "m", value: "n", help: "at most so many matching lines of each file" },
			{ name: "files", short: "l", help: "only the names of files" },
			{ name: "no-ignore", help: "also what .gitignore and the like exclude" },
		],
	},
	{
		name: "shell",
		help: "type commands into the shell of the model's tool",
		takes: [],
		flags: [{ name: "command", short: "c", value: "command", help: "run this one, and exit as it does" }],
	},
	{
		name: "doctor",
		help: "show what was found, what is not used, and why",
		takes: ["mode", "config", "trust"],
	},
	...pluginCommands,
	{ name: "help", operand: { name: "command" }, help: "show this help, or that of a command" },
	{ name: "version", help: "show the version" },
];

/** Names that belong to commands to come: whoever types one gets an answer and not a paid conversation about it. */
export const plannedCommands: ReadonlySet<string> = new Set([
	"acp",
	"auth-gateway",
	"collab",
	"commit",
	"join",
	"launch",
	"setup",
	"stats",
]);

/** As it is typed: `login [provider]`, `auth status`. */
export function commandUsage({ name, operand, flags = [] }: Command, withFlags = true): string {
	const word =
		operand &&
		(operand.words || operand.like ? operand.name : (operand.choices?.join("|") ?? `[${operand.name}]`));
	const own = withFlags ? flags.map((flag) => `[--${flag.name}]`) : [];
	return [name, ...(word === undefined ? [] : [word]), ...own].join(" ");
}
