/** The help lists everything that the command line supports, and fits a screen. */
import { expect, test } from "bun:test";

import { exitCodes } from "./exit-codes.ts";
import { commands } from "./command-table.ts";
import { sections, type Flag } from "./flags.ts";
import { helpText } from "./help.ts";

const lines = helpText("1.2.3").split("\n");

const flags: readonly Flag[] = sections.flatMap((section): readonly Flag[] => section.flags);

test.each(flags.map((flag): [string, Flag] => [flag.name, flag]))(
	"--%s is shown with its value and what it does",
	(_, { name, short, value, optional, help }) => {
		const operand = value === undefined ? "" : optional ? ` [${value}]` : ` <${value}>`;
		const shown = `${short ? `-${short}, ` : ""}--${name}${operand}`;
		const line = lines.find((text) => text.trim().startsWith(`${shown} `));
		expect(line).toEndWith(` ${help}`);
	},
);

test("every choice of a flag is listed", () => {
	for (const { choices = [], help } of flags) for (const choice of choices) expect(help).toContain(choice);
});

test.each(commands.map(({ name, help }): [string, string] => [name, help]))(
	"command %s is shown",
	(name, help) => {
		expect(lines.some((line) => line.trim().startsWith(`${name} `) && line.endsWith(help))).toBe(true);
	},
);

test("the version and all exit codes are listed", () => {
	expect(lines[0]).toContain("1.2.3");
	const codes = lines.find((line) => line.startsWith("Exit codes:"))?.match(/\d+/g);
	expect(codes?.map(Number)).toEqual(Object.values(exitCodes));
});

test("no line is wider than 100 columns, and none has trailing spaces", () => {
	expect(lines.filter((line) => Bun.stringWidth(line) > 100 || line !== line.trimEnd())).toEqual([]);
});
