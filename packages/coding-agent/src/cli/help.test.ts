/** The help lists everything that the command line supports, and fits a screen. */
import { expect, test } from "bun:test";

import { exitCodes } from "./exit-codes.ts";
import { commandUsage, type Command } from "./command.ts";
import { commands } from "./command-table.ts";
import { sections, type Flag } from "./flags.ts";
import { commandHelp, helpColumns, helpText } from "./help.ts";

const text = helpText("1.2.3");
const lines = text.split("\n");
/** Descriptions may go on in the next lines. */
const joined = text.replaceAll(/\s+/g, " ");

const flags: readonly Flag[] = sections.flatMap((section): readonly Flag[] => section.flags);

test.each(flags.map((flag): [string, Flag] => [flag.name, flag]))(
	"--%s is shown with its value and what it does",
	(_, { name, short, value, optional, help }) => {
		const operand = value === undefined ? "" : optional ? ` [${value}]` : ` <${value}>`;
		expect(joined).toContain(` ${short ? `-${short}, ` : ""}--${name}${operand} ${help}`);
	},
);

test("every choice of a flag is listed", () => {
	for (const { choices = [], help } of flags) for (const choice of choices) expect(help).toContain(choice);
});

test.each(commands.map((command): [string, Command] => [command.name, command]))(
	"command %s is shown",
	(_, command) => {
		expect(joined).toContain(` ${commandUsage(command, false)} ${command.help}`);
	},
);

test("the version and all exit codes are listed", () => {
	expect(lines[0]).toContain("1.2.3");
	const codes = /Exit codes: ([^.]*)\./.exec(joined)?.[1]?.match(/\d+/g);
	expect(codes?.map(Number)).toEqual(Object.values(exitCodes));
});

test.each([60, 80, 100])("no line is wider than %d columns, and none has trailing spaces", (width) => {
	const pages = [helpText("1.2.3", width), ...commands.map((command) => commandHelp(command, width))];
	const long = pages
		.flatMap((page) => page.split("\n"))
		// A form of a command is one line that can be copied.
		.filter((line) => !line.startsWith("  tau ") && !line.startsWith("Usage: "))
		.filter((line) => Bun.stringWidth(line) > width || line !== line.trimEnd());
	expect(long).toEqual([]);
});

test("help is as wide as the terminal, within limits, and 80 columns elsewhere", () => {
	expect([undefined, 20, 72, 300].map((terminal) => helpColumns(terminal))).toEqual([80, 60, 72, 100]);
});
