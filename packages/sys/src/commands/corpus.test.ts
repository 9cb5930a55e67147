import { describe, expect, test } from "bun:test";

import { fixtureLines } from "./fixtures/read.ts";
import { commandFacts, type CommandFacts } from "./index.ts";

const place = { cwd: "/home/u/p", home: "/home/u" };

/** The widest effect of a command, as a policy sees it. */
function verdictOf(facts: CommandFacts): string {
	if (facts.unknown !== undefined) return "unknown";
	if (facts.programs.some(({ effect }) => effect === "exec")) return "exec";
	return facts.writes.length > 0 || facts.programs.some(({ effect }) => effect === "write")
		? "write"
		: "read";
}

const sections = new Map<string, string[]>();
let section = "";
for (const line of fixtureLines("corpus.txt")) {
	if (line.startsWith("## ")) section = line.slice(3);
	else if (section !== "") sections.set(section, [...(sections.get(section) ?? []), line]);
}

describe("the corpus of commands", () => {
	test("has at least 400 commands, each once in its section", () => {
		const all = [...sections.values()].flat();
		expect(all.length).toBeGreaterThan(400);
		for (const commands of sections.values()) expect(new Set(commands).size).toBe(commands.length);
	});

	for (const verdict of ["read", "write", "exec", "unknown"])
		test(`commands that are judged as ${verdict}`, () => {
			const wrong = (sections.get(verdict) ?? []).flatMap((command) => {
				const facts = commandFacts(command, place);
				const judged = verdictOf(facts);
				return judged === verdict ? [] : [`${judged}: ${command} ${facts.unknown ?? ""}`];
			});
			expect(wrong).toEqual([]);
		});

	test("commands that are hard to take back say why", () => {
		const commands = sections.get("danger") ?? [];
		expect(
			commands.filter((command) =>
				commandFacts(command, place).programs.every(({ danger }) => danger === undefined),
			),
		).toEqual([]);
	});

	test("commands that need the network say so", () => {
		const commands = sections.get("network") ?? [];
		expect(
			commands.filter((command) => !commandFacts(command, place).programs.some(({ network }) => network)),
		).toEqual([]);
	});

	test("what reads is never said to be dangerous", () => {
		const commands = sections.get("read") ?? [];
		expect(
			commands.filter((command) =>
				commandFacts(command, place).programs.some(({ danger }) => danger !== undefined),
			),
		).toEqual([]);
	});
});
