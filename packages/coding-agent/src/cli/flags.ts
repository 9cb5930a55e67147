/** The table of flags: parsing, `--help` and suggestions all read it. */

export interface Flag {
	name: string;
	short?: string;
	/** What stands for the value in the help; absent for a switch. */
	value?: string;
	/** Allowed values, where they are few. */
	choices?: readonly string[];
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
				help: "provider/id, an id, or a part that only one model has; :high may follow",
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
	help: string;
}

export const commands: readonly Command[] = [
	{ name: "help", help: "show this help" },
	{ name: "version", help: "show the version" },
];
