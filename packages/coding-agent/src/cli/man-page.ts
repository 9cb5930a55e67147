/** The manual page `tau(1)`, written from the same tables as `--help`. */
import { commandForms, exitCodeTexts, flagRows } from "./help.ts";
import { commandUsage, type Command } from "./command.ts";
import { commands } from "./command-table.ts";
import { sections } from "./flags.ts";

const description = [
	"Tau takes a prompt, asks a language model, and runs the tools that the model asks for.",
	"Without -p it runs in the terminal until you leave it.",
	"Without an API key or a local server it runs its built-in demo.",
] as const;

const files: readonly (readonly [path: string, text: string])[] = [
	["~/.tau/agent/config.yml", "your settings; tau config list shows all of them"],
	["~/.tau/agent/models.yml", "your own models and providers"],
	["~/.tau/agent/sessions", "saved sessions"],
	[".tau", "settings, rules, skills, agents and extensions of a project"],
	["~/.tau/logs/tau.log", "the log"],
];

/** In roff, for man(1). The page bears no date and no version: it changes only with the tables. */
export function manPage(): string {
	const parts = [
		'.TH TAU 1 "" "Tau" "User Commands"',
		section("NAME", ["tau \\- a coding agent for the terminal"]),
		section("SYNOPSIS", [
			".B tau",
			"[flags] [@file\u2026] [prompt\u2026]",
			".br",
			".B tau",
			"command [\u2026]",
		]),
		section("DESCRIPTION", description.map(escaped)),
		...sections.map(({ title, flags }) => section(title.toUpperCase(), flagRows(flags).map(entry))),
		section("COMMANDS", commands.map(commandEntry)),
		section("FILES", files.map(entry)),
		section(
			"EXIT STATUS",
			exitCodeTexts.map(([code, text]) => entry([String(code), text])),
		),
		section("SEE ALSO", [escaped("tau help <command>, and the pages of the documentation.")]),
	];
	return `${parts.join("\n")}\n`;
}

function section(title: string, lines: readonly string[]): string {
	return [`.SH ${title}`, ...lines].join("\n");
}

function entry([name, text]: readonly [string, string]): string {
	return [".TP", `.B ${escaped(name.trim())}`, escaped(text)].join("\n");
}

function commandEntry(command: Command): string {
	const forms = commandForms(command).map((form) => `.br\n${escaped(form)}`);
	const flags = flagRows(command.flags ?? []).map(entry);
	const nested = flags.length === 0 ? [] : [".RS", ...flags, ".RE"];
	return [entry([commandUsage(command, false), command.help]), ...forms, ...nested].join("\n");
}

/** Text that roff takes as it is: no line begins with a request, and a hyphen can be searched for and copied. */
function escaped(text: string): string {
	return text
		.replaceAll("\\", "\\e")
		.replaceAll("-", "\\-")
		.replaceAll("…", "\\&...")
		.replace(/^(?=[.'])/, "\\&");
}
