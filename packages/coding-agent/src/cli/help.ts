/** Writes `--help` from the tables of flags and commands. */
import { exitCodes } from "./exit-codes.ts";
import { commandUsage, type Command } from "./command.ts";
import { commands } from "./command-table.ts";
import { sections, type Flag } from "./flags.ts";

const examples: readonly [string, string][] = [
	['tau -p "what is in this project"', "ask, print the answer, exit"],
	['tau -p @src/main.ts "explain this"', "attach a file"],
	['git diff | tau -p "review this"', "send the output of another program"],
	['tau -p --model anthropic/… "…"', "choose a model"],
	["tau login", "use a subscription, or store an API key"],
];

/** Flags and commands with longer names have their description on the next line. */
const mostLeft = 28;
const columns = { least: 60, usual: 80, most: 100 } as const;

/** The columns that help is written for: those of the terminal, within limits, and 80 where there is none. */
export function helpColumns(terminal: number | undefined): number {
	return Math.min(columns.most, Math.max(columns.least, terminal ?? columns.usual));
}

export function helpText(version: string, width: number = columns.usual): string {
	const blocks = [
		`tau ${version}: a coding agent for the terminal`,
		"Usage: tau [flags] [@file…] [prompt…]",
		...sections.map(({ title, flags }) => block(title, flagRows(flags), width)),
		block(
			"Commands",
			commands.map((command) => [commandUsage(command, false), command.help]),
			width,
		),
		block("Examples", examples, width),
		wrap(`Exit codes: ${exitCodeTexts.map(([code, text]) => `${code} ${text}`).join(", ")}.`, width).join(
			"\n",
		),
		"Custom models: ~/.tau/agent/models.yml.",
		wrap("Without an API key or a local server, Tau runs its built-in demo.", width).join("\n"),
	];
	return `${blocks.join("\n\n")}\n`;
}

export const exitCodeTexts: readonly (readonly [code: number, text: string])[] = [
	[exitCodes.answered, "answered"],
	[exitCodes.failed, "failed"],
	[exitCodes.usage, "wrong usage"],
	[exitCodes.outOfTime, "out of time"],
	[exitCodes.interrupted, "interrupted"],
];

export function commandHelp(command: Command, width: number = columns.usual): string {
	const { help, flags = [], takes = [] } = command;
	const usage = [commandUsage(command, false), ...(flags.length > 0 ? ["[flags]"] : [])].join(" ");
	const blocks = [wrap(`tau ${command.name}: ${help}`, width).join("\n"), `Usage: tau ${usage}`];
	const forms = commandForms(command).map((form) => `  ${form}`);
	if (forms.length > 0) blocks.push(forms.join("\n"));
	if (flags.length > 0) blocks.push(block("Flags", flagRows(flags), width));
	if (takes.length > 0) {
		const names = takes.map((name) => `--${name}`).join(", ");
		blocks.push(wrap(`Also: ${names} (see tau --help).`, width).join("\n"));
	}
	return `${blocks.join("\n\n")}\n`;
}

/** Each action of a command with its arguments: `tau config set <setting> <value>`. */
export function commandForms({ name, operand }: Command): string[] {
	return Object.entries(operand?.follows ?? {}).map(([action, names]) =>
		[
			"tau",
			name,
			action,
			...names.map((each) => (each.startsWith("?") ? `[${each.slice(1)}]` : `<${each}>`)),
		].join(" "),
	);
}

function block(title: string, rows: readonly (readonly [string, string])[], width: number): string {
	const left = Math.min(mostLeft, Math.max(...rows.map(([name]) => name.length)));
	const indent = " ".repeat(left + 4);
	const lines = rows.flatMap(([name, text]) => {
		const [first = "", ...rest] = wrap(text, width - indent.length).map((line) => indent + line);
		const named = `  ${name.padEnd(left)}  `;
		return name.length <= left ? [named + first.trimStart(), ...rest] : [named.trimEnd(), first, ...rest];
	});
	return [`${title}:`, ...lines].join("\n");
}

function wrap(text: string, width: number): string[] {
	const lines: string[] = [];
	for (const word of text.split(" ")) {
		const joined = `${lines.at(-1) ?? ""} ${word}`;
		if (lines.length > 0 && joined.length <= width) lines[lines.length - 1] = joined;
		else lines.push(word);
	}
	return lines;
}

/** The long names are aligned in one column. */
export function flagRows(flags: readonly Flag[]): [string, string][] {
	const shorts = flags.map(({ short }) => (short === undefined ? "" : `-${short}, `));
	const width = Math.max(shortWidth, ...shorts.map((short) => short.length));
	return flags.map((flag, index) => [(shorts[index] ?? "").padStart(width) + longName(flag), flag.help]);
}

/** `-p, ` */
const shortWidth = 4;

function longName({ name, value, optional }: Flag): string {
	return `--${name}${value === undefined ? "" : optional ? ` [${value}]` : ` <${value}>`}`;
}
