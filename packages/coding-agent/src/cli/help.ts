/** Writes `--help` from the table of flags. */
import { exitCodes } from "./exit-codes.ts";
import { commands, commandUsage, type Command } from "./command-table.ts";
import { sections, type Flag } from "./flags.ts";

const examples: readonly [string, string][] = [
	['tau -p "what is in this project"', "ask, print the answer, exit"],
	['tau -p @src/main.ts "explain this"', "attach a file"],
	['git diff | tau -p "review this"', "send the output of another program"],
	['tau -p --model anthropic/… "…"', "choose a model"],
	["tau login", "use a subscription, or store an API key"],
];

export function helpText(version: string): string {
	const blocks = [
		`tau ${version}: a coding agent for the terminal`,
		"Usage: tau [flags] [@file…] [prompt…]",
		...sections.map(({ title, flags }) => block(title, flagRows(flags))),
		block(
			"Commands",
			commands.map((command) => [commandUsage(command, false), command.help]),
		),
		block("Examples", examples),
		`Exit codes: ${exitCodes.answered} answered, ${exitCodes.failed} failed, ${exitCodes.usage} wrong usage, ${exitCodes.outOfTime} out of time, ${exitCodes.interrupted} interrupted.`,
		"Custom models: ~/.tau/agent/models.yml.\nWithout an API key or a local server, Tau runs its built-in demo.",
	];
	return `${blocks.join("\n\n")}\n`;
}

export function commandHelp(command: Command): string {
	const { help, flags = [] } = command;
	const blocks = [`tau ${command.name}: ${help}`, `Usage: tau ${commandUsage(command)}`];
	const ways = Object.entries(command.operand?.follows ?? {}).map(([word, names]) =>
		["  tau", command.name, word, ...names.map((name) => `<${name}>`)].join(" "),
	);
	if (ways.length > 0) blocks.push(ways.join("\n"));
	if (flags.length > 0) blocks.push(block("Flags", flagRows(flags)));
	return `${blocks.join("\n\n")}\n`;
}

function block(title: string, rows: readonly (readonly [string, string])[]): string {
	const width = Math.max(...rows.map(([left]) => left.length));
	return [`${title}:`, ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)].join("\n");
}

/** The long names are aligned in one column. */
function flagRows(flags: readonly Flag[]): [string, string][] {
	const shorts = flags.map(({ short }) => (short === undefined ? "" : `-${short}, `));
	const width = Math.max(shortWidth, ...shorts.map((short) => short.length));
	return flags.map((flag, index) => [(shorts[index] ?? "").padStart(width) + longName(flag), flag.help]);
}

/** `-p, ` */
const shortWidth = 4;

function longName({ name, value, optional }: Flag): string {
	return `--${name}${value === undefined ? "" : optional ? ` [${value}]` : ` <${value}>`}`;
}
