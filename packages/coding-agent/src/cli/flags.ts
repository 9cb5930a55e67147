/** The table of flags: parsing, `--help` and suggestions all read it. */

export interface Flag {
	name: string;
	short?: string;
	/** What stands for the value in the help; absent for a switch. */
	value?: string;
	/** Allowed values, where they are few. */
	choices?: readonly string[];
	/** It may stand without its value. */
	optional?: true;
	/** An empty value says something too; elsewhere it is an unset variable of the person's script. */
	mayBeEmpty?: true;
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
			{ name: "print", short: "p", help: "answer the prompt, print the result and exit" },
			{
				name: "mode",
				value: "mode",
				choices: ["text", "json"],
				help: "text (default), or json: one event a line",
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
			{ name: "plan", value: "model", help: "the model for plans, in this run" },
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
				help: "how much the model thinks: off, minimal, low, medium, high, xhigh",
			},
			{ name: "api-key", value: "key", help: "key for this run only; it is not stored" },
		],
	},
	{
		title: "Session",
		flags: [
			{ name: "no-session", help: "keep nothing of this conversation on disk" },
			{ name: "session-dir", value: "dir", help: "keep sessions in this directory" },
		],
	},
	{
		title: "Prompt and tools",
		flags: [
			{ name: "system-prompt", value: "text", mayBeEmpty: true, help: "replace the system prompt" },
			{ name: "append-system-prompt", value: "text", mayBeEmpty: true, help: "add to the system prompt" },
			{ name: "tools", value: "names", help: "allow only these tools, separated by commas" },
			{ name: "no-tools", help: "allow no tools" },
		],
	},
	{
		title: "Other",
		flags: [
			{ name: "help", short: "h", help: "show this help" },
			{ name: "version", short: "v", help: "show the version" },
		],
	},
] as const satisfies readonly FlagSection[];

export type FlagName = (typeof sections)[number]["flags"][number]["name"];

export interface Command {
	name: string;
	/** The one word that may follow. */
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
}

export const commands: readonly Command[] = [
	{
		name: "login",
		operand: { name: "provider" },
		help: "log in to a provider, or keep a key for it",
		takes: [],
		flags: [{ name: "api-key", help: "keep a key: typed in unseen, or from standard input" }],
	},
	{
		name: "logout",
		operand: { name: "provider" },
		help: "forget the keys and logins of a provider",
		takes: [],
	},
	{
		name: "auth",
		operand: { name: "status", choices: ["status"] },
		help: "show the keys and logins that there are",
		takes: ["mode"],
	},
	{ name: "help", help: "show this help" },
	{ name: "version", help: "show the version" },
];

/** As it is typed: `login [provider]`, `auth status`. */
export function commandUsage({ name, operand, flags = [] }: Command, withFlags = true): string {
	const word = operand && (operand.choices ? operand.choices.join("|") : `[${operand.name}]`);
	const own = withFlags ? flags.map((flag) => `[--${flag.name}]`) : [];
	return [name, ...(word === undefined ? [] : [word]), ...own].join(" ");
}
