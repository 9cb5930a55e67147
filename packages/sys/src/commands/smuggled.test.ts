/** What the table of known programs promises: nothing that writes, runs or connects passes as reading. */
import { describe, expect, test } from "bun:test";

import { fixtureLines } from "./fixtures/read.ts";
import { commandFacts, type CommandFacts } from "./index.ts";
import known from "./table/known.json" with { type: "json" };

const place = { cwd: "/home/u/p", home: "/home/u" };
/** Of the ordinary commands, so many percent may be asked about without need. */
const wronglyAskedPercent = 2;

/** As the mode `ask` sees it without a boundary. */
function isUnasked({ programs, writes, unknown }: CommandFacts): boolean {
	return (
		unknown === undefined &&
		writes.length === 0 &&
		programs.every(({ effect, network }) => effect === "read" && network !== true)
	);
}

/** As the mode `auto` sees it without a boundary. */
function staysInside({ programs, writes, unknown }: CommandFacts): boolean {
	return (
		unknown === undefined &&
		writes.every(({ path }) => path === place.cwd || path?.startsWith(`${place.cwd}/`)) &&
		programs.every(
			({ effect, network, danger }) => effect !== "exec" && network !== true && danger === undefined,
		)
	);
}

const smuggled = fixtureLines("smuggled.txt").filter((line) => !line.startsWith("# "));
const ordinary = fixtureLines("ordinary.txt");

describe("smuggled commands", () => {
	test("are at least 400, each once", () => {
		expect(smuggled.length).toBeGreaterThanOrEqual(400);
		expect(new Set(smuggled).size).toBe(smuggled.length);
	});

	test("are all asked about", () => {
		expect(smuggled.filter((command) => isUnasked(commandFacts(command, place)))).toEqual([]);
	});

	test("are asked about behind a wrapper, too", () => {
		const wrapped = smuggled.flatMap((command) =>
			/[\n#]/.test(command) ? [] : [`ls; ${command}`, `{ ${command}\n}`, `echo "$(${command}\n)"`],
		);
		expect(wrapped.filter((command) => isUnasked(commandFacts(command, place)))).toEqual([]);
		// 5,000 commands take longer than usual beside other tests.
	}, 30_000);

	test("letters that become others on the way to the shell are asked about", () => {
		const ends = [
			"cat <<'\ud800'\n\ufffd\ntouch pwned\n\ud800",
			"cat <<'a\udc00'\na\ufffd\ntouch pwned\na\udc00",
		];
		expect(ends.filter((command) => isUnasked(commandFacts(command, place)))).toEqual([]);
		expect(isUnasked(commandFacts("cat <<'\u{1f600}'\na\n\u{1f600}", place))).toBe(true);
	});

	test("what reaches outside of the project is asked about where commands may change its files", () => {
		const outside = fixtureLines("outside.txt").filter((line) => !line.startsWith("# "));
		expect(outside.filter((command) => staysInside(commandFacts(command, place)))).toEqual([]);
	});

	test("ordinary commands that only read are not asked about, but for a few", () => {
		const asked = ordinary.filter((command) => !isUnasked(commandFacts(command, place)));
		expect((asked.length / ordinary.length) * 100).toBeLessThanOrEqual(wronglyAskedPercent);
		expect(ordinary.length).toBeGreaterThanOrEqual(300);
	});

	test.each([
		"sed 's/\\/[^/]*$//' a",
		"date -u -Iseconds",
		"find . -type f -print0 | xargs -0 file",
		"sort <(sort -u a) b",
		'while IFS= read -r line; do echo "$line"; done < a',
		"i=0; list[$i]=x; list[1]=y",
	])("%s only reads", (command) => {
		expect(isUnasked(commandFacts(command, place))).toBe(true);
	});
});

describe("the table of known programs", () => {
	test("every row that reads says for which options it was checked", () => {
		const rows = { ...known.readers, ...known.git } as Record<string, { effect: string; options?: string }>;
		const unchecked = Object.entries(rows).filter(
			([, row]) => row.effect === "read" && row.options === undefined,
		);
		expect(unchecked.map(([names]) => names)).toEqual([]);
	});

	test("every program with subcommands that read lists the options that they may have", () => {
		const tables = known.subcommands as Record<string, { reads?: string; options?: string }>;
		const unchecked = Object.entries(tables).filter(
			([, table]) => table.reads !== undefined && table.options === undefined,
		);
		expect(unchecked.map(([names]) => names)).toEqual([]);
	});

	test("an option that is in no row makes a reader ask", () => {
		const rows = Object.entries(known.readers as Record<string, { options?: string }>);
		const limited = rows.flatMap(([names, { options }]) => (options === "any" ? [] : names.split(" ")));
		expect(limited.length).toBeGreaterThan(40);
		expect(
			limited.filter((name) => isUnasked(commandFacts(`${name} --no-such-option-of-it`, place))),
		).toEqual([]);
	});
});
