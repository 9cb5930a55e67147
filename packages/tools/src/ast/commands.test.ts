import { expect, test } from "bun:test";

import type { SgNode } from "@ast-grep/napi";
import { commandFacts } from "@tau/sys/commands";

import { loadGrammars } from "./grammars/load.ts";

const fixtures = new URL("../../../sys/src/commands/fixtures/", import.meta.url);

async function commandsOf(name: string): Promise<string[]> {
	const text = await Bun.file(new URL(name, fixtures)).text();
	return text
		.split("\n")
		.filter((line) => line !== "" && !line.startsWith("#"))
		.map((line) => line.replaceAll("⏎", "\n"));
}

/** The literal program of each simple command, as the grammar sees it. */
function programsIn(root: SgNode): string[] {
	return (
		root
			.findAll({ rule: { kind: "command_name" } })
			.map((node) => node.text())
			// `time` is a keyword of bash, which runs nothing by itself.
			.filter((name) => /^[\w.-]+$/u.test(name) && name !== "time")
	);
}

test("the tree-sitter grammar finds no program that the judge of commands does not list", async () => {
	await loadGrammars();
	const { parseAsync } = await import("@ast-grep/napi");
	const missed: string[] = [];
	let compared = 0;
	for (const command of [...(await commandsOf("corpus.txt")), ...(await commandsOf("strace.txt"))]) {
		const root = (await parseAsync("bash", command)).root();
		const facts = commandFacts(command, { cwd: "/p", home: "/h" });
		if (root.has({ rule: { kind: "ERROR" } }) || facts.unknown !== undefined) continue;
		compared++;
		const names = new Set(facts.programs.map(({ name }) => name));
		const functions = new Set(
			root.findAll({ rule: { kind: "function_definition" } }).map((node) => node.field("name")?.text() ?? ""),
		);
		for (const name of programsIn(root))
			if (!names.has(name) && !functions.has(name)) missed.push(`${command}: ${name}`);
	}
	expect(missed).toEqual([]);
	expect(compared).toBeGreaterThan(900);
});
