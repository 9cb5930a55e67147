/** A search finds what ripgrep finds, stays within its limits, and reports errors. */
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";

import { writeTree } from "../../../../test/support/files.ts";
import { limits } from "./limits.ts";
import { ripgrepPath } from "./ripgrep.ts";
import { search } from "./search.ts";
import type { SearchEvent, SearchOptions, SearchOutcome } from "./types.ts";

const base = mkdtempSync(join(tmpdir(), "tau-search-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let made = 0;

function plant(files: Record<string, string | Uint8Array>): string {
	const root = join(base, String(made++));
	writeTree(root, files);
	return root;
}

interface Found {
	outcome: SearchOutcome;
	events: SearchEvent[];
	/** `path:number:text`, or with dashes for context, sorted by path. */
	lines: string[];
}

async function run(cwd: string, pattern: string, more: Partial<SearchOptions> = {}): Promise<Found> {
	const events: SearchEvent[] = [];
	const outcome = await search({ pattern, paths: ["."], cwd, ...more }, (event) => void events.push(event));
	const shown = events.flatMap((event) => (event.type === "end" ? [] : [event]));
	const lines = shown
		.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
		.flatMap(({ type, path, lines: own }) => {
			const mark = type === "match" ? ":" : "-";
			return own.map(({ number, text }) => `${path.replace("./", "")}${mark}${number}${mark}${text}`);
		});
	return { outcome, events, lines };
}

describe("the same lines as ripgrep", () => {
	const word = fc.constantFrom("foo", "bar", "Foo", "föö", "x", " ", "foo.bar", "\t");
	const line = fc.array(word, { maxLength: 5 }).map((words) => words.join(""));
	const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join("\n"));
	const name = fc.constantFrom(
		"a.ts",
		"b.md",
		".hidden",
		"sp ace",
		"ünï/c.ts",
		"d/e.log",
		"d/new\nline",
		"out/f.ts",
	);
	const tree = fc.dictionary(name, text, { minKeys: 1, maxKeys: 6 });
	const options = fc.record({
		ignoreCase: fc.boolean(),
		literal: fc.boolean(),
		hidden: fc.boolean(),
		gitignore: fc.boolean(),
		around: fc.constantFrom(0, 1, 2),
	});
	const pattern = fc.constantFrom("foo", "fo+", "foo.bar", "^foo", "ö", "bar$", "(?<=f)oo", "\\w+\\s");

	/** Ripgrep's plain output, in the format of ours. */
	function theirs(rg: string, root: string, args: readonly string[]): string[] {
		const fixed = ["--no-config", "--no-heading", "--line-number", "--null", "--engine=auto", "--glob=!.git"];
		const output = Bun.spawnSync([rg, ...fixed, ...args, "."], { cwd: root });
		return new TextDecoder()
			.decode(output.stdout)
			.split(/\n--\n|\n(?=\.\/)/)
			.map((row) =>
				row
					.replace(/^\.\//, "")
					.replace(/\0(\d+)([:-])/, "$2$1$2")
					.replace(/\n$/, ""),
			)
			.filter((row) => row !== "");
	}

	test("for every tree, pattern and option", async () => {
		const rg = await ripgrepPath();
		await fc.assert(
			fc.asyncProperty(tree, pattern, options, async (files, regexp, { around, ...choice }) => {
				const root = plant({ ...files, ".git/HEAD": "", ".gitignore": "*.log\nout/\n" });
				const args = [`-C${around}`, `--regexp=${regexp}`];
				if (choice.ignoreCase) args.push("-i");
				if (choice.literal) args.push("-F");
				if (choice.hidden) args.push("--hidden");
				if (!choice.gitignore) args.push("--no-ignore");
				const { lines } = await run(root, regexp, { ...choice, before: around, after: around });
				expect(lines.toSorted()).toEqual(theirs(rg, root, args).toSorted());
				rmSync(root, { recursive: true });
			}),
			{ numRuns: 60 },
		);
	});
});

describe("a match", () => {
	test("has its position, in characters of its line", async () => {
		const { events, outcome } = await run(plant({ a: "x föö foo\r\nnone\nfoo" }), "f(oo|öö)");
		const first = {
			number: 1,
			text: "x föö foo",
			ranges: [
				[2, 5],
				[6, 9],
			],
		};
		expect(events).toEqual([
			{ type: "match", path: "./a", lines: [first] },
			{ type: "match", path: "./a", lines: [{ number: 3, text: "foo", ranges: [[0, 3]] }] },
			{ type: "end", path: "./a", matches: 2, isBinary: false },
		] as SearchEvent[]);
		expect(outcome).toEqual({ ok: true, matches: 2, files: 1, problems: [] });
	});

	test("over several lines is one match with all of them", async () => {
		const { events, outcome } = await run(plant({ a: "one {\n  two\n} end\nlast" }), "\\{.*\\}", {
			multiline: true,
		});
		expect(events[0]).toEqual({
			type: "match",
			path: "./a",
			lines: [
				{ number: 1, text: "one {", ranges: [[4, 5]] },
				{ number: 2, text: "  two", ranges: [[0, 5]] },
				{ number: 3, text: "} end", ranges: [[0, 1]] },
			],
		});
		expect(outcome).toMatchObject({ matches: 1 });
	});

	test("over a whole file is cut after a number of lines", async () => {
		const { lines } = await run(plant({ a: "{\n".repeat(500) }), "\\{.*\\{", { multiline: true });
		expect(lines).toHaveLength(limits.matchLines);
	});

	test("in a long line is shown with its surroundings", async () => {
		const root = plant({ a: `${"é".repeat(3000)}needle${"y".repeat(3000)}\n` });
		const { events } = await run(root, "needle", { lineChars: 40 });
		const [line] = events[0]?.type === "match" ? events[0].lines : [];
		expect(line?.text).toBe(`…${"é".repeat(10)}needle${"y".repeat(24)}…`);
		expect(line?.ranges.map(([start, end]) => line.text.slice(start, end))).toEqual(["needle"]);
	});

	test("in a line of megabytes is reported with its number and the start of the line", async () => {
		const long = `${'"quoted" '.repeat(400_000)}needle`;
		const root = plant({ "a.min.js": `first\n${long}\nlast needle` });
		const { lines, outcome } = await run(root, "needle", { lineChars: 20 });
		expect(lines).toEqual(['a.min.js:2:"quoted" "quoted" "q…', "a.min.js:3:last needle"]);
		expect(outcome).toMatchObject({ ok: true, matches: 2 });
	});

	test("in text that is not UTF-8 is shown as far as possible", async () => {
		const root = plant({ a: new Uint8Array([0xff, 0x66, 0x6f, 0x6f, 0xfe, 0x0a]) });
		expect((await run(root, "foo")).lines).toEqual(["a:1:\ufffdfoo\ufffd"]);
	});

	test("in a binary file is reported as such", async () => {
		const { events } = await run(plant({ a: "foo\0bar" }), "foo", { paths: ["a"] });
		expect(events.at(-1)).toEqual({ type: "end", path: "a", matches: 1, isBinary: true });
	});
});

describe("globs and types", () => {
	const files = {
		"a.ts": "x",
		"a.js": "x",
		"src/b.ts": "x",
		"src/c.md": "x",
		"deep/src/d.ts": "x",
		"e.log": "x",
	};
	const choices: [what: string, more: Partial<SearchOptions>, found: string[]][] = [
		["a name at any depth", { globs: ["*.ts"] }, ["a.ts", "deep/src/d.ts", "src/b.ts"]],
		["a path from the directory", { globs: ["src/*.ts"] }, ["src/b.ts"]],
		["several endings", { globs: ["*.{js,md}"] }, ["a.js", "src/c.md"]],
		["all of several", { globs: ["*.ts", "!src/**"] }, ["a.ts", "deep/src/d.ts"]],
		["from the directory that is searched", { paths: ["deep"], globs: ["src/*.ts"] }, ["deep/src/d.ts"]],
		["or from where one is", { paths: ["src"], globs: ["src/*.ts"] }, ["src/b.ts"]],
		["a type", { types: ["md"] }, ["src/c.md"]],
		["a type and a glob", { types: ["ts"], globs: ["src/**"] }, ["src/b.ts"]],
		["no way around ignore files", { globs: ["*.log"] }, []],
		["a file that was named", { paths: ["e.log"], globs: ["*.ts"] }, ["e.log"]],
	];
	test.each(choices)("%s", async (_, more, matches) => {
		const root = plant({ ...files, ".git/HEAD": "", ".gitignore": "*.log" });
		const { lines } = await run(root, "x", more);
		expect(lines.map((line) => line.replace(/:1:x$/, ""))).toEqual(matches);
	});

	test("an invalid glob or type is reported", async () => {
		const root = plant(files);
		const outcome = async (more: Partial<SearchOptions>) => (await run(root, "x", more)).outcome;
		const option = { ok: false, reason: "option" };
		const open = { ...option, message: "A { is not closed in the glob *.{ts." };
		expect(await outcome({ globs: ["*.{ts"] })).toEqual(open as SearchOutcome);
		const unknown = { ...option, message: "Unknown file type nope." };
		expect(await outcome({ types: ["nope"] })).toEqual(unknown as SearchOutcome);
	});

	test("node_modules is searched unless excluded", async () => {
		const root = plant({ "node_modules/m/a": "x", b: "x" });
		expect((await run(root, "x")).lines).toHaveLength(2);
		expect((await run(root, "x", { nodeModules: false })).lines).toEqual(["b:1:x"]);
	});
});

describe("limits", () => {
	test("limit the matches in all, and those of each file", async () => {
		const root = plant({ a: "x\n".repeat(50), b: "x\n".repeat(50) });
		const limited = await run(root, "x", { maxMatches: 7 });
		expect(limited.lines).toHaveLength(7);
		expect(limited.outcome).toMatchObject({ ok: true, matches: 7, stopped: "limit" });
		const each = await run(root, "x", { maxPerFile: 3 });
		expect(each.outcome).toEqual({ ok: true, matches: 6, files: 2, problems: [] });
		expect((await run(root, "x", { maxMatches: 100 })).outcome).not.toHaveProperty("stopped");
	});

	/** A search of a pipe without a writer never ends by itself. */
	function endless(): string {
		const root = plant({});
		expect(Bun.spawnSync(["mkfifo", join(root, "pipe")]).exitCode).toBe(0);
		return root;
	}

	test("an abort ends the search", async () => {
		const controller = new AbortController();
		const searching = run(endless(), "x", { paths: ["pipe"], signal: controller.signal });
		controller.abort();
		expect((await searching).outcome).toMatchObject({ ok: true, stopped: "abort" });
	});

	test("a timeout ends the search", async () => {
		const { outcome } = await run(endless(), "x", { paths: ["pipe"], timeoutMs: 50 });
		expect(outcome).toMatchObject({ ok: true, stopped: "timeout" });
	});

	test("a listener that throws ends the search, and gets its error", async () => {
		const root = plant({ a: "x\n".repeat(1000) });
		const searching = search({ pattern: "x", paths: ["."], cwd: root }, () => {
			throw new Error("no more");
		});
		await expect(searching).rejects.toThrow("no more");
	});
});

describe("a path that cannot be searched", () => {
	test("is reported, and the others are searched", async () => {
		const root = plant({ a: "x", locked: "x" });
		chmodSync(join(root, "locked"), 0);
		const { outcome, lines } = await run(root, "x", { paths: ["a", "locked", "gone"] });
		expect(lines).toContain("a:1:x");
		const problems = outcome.ok ? outcome.problems.join("\n") : "";
		expect(problems).toContain("gone: ");
		// Root can read every file.
		expect(problems.includes("locked: ")).toBe(process.getuid?.() !== 0);
	});

	test("a missing working directory is reported", async () => {
		const { outcome } = await run(join(base, "nowhere"), "x");
		expect(outcome).toMatchObject({ ok: false, reason: "failed" });
	});

	test("the user's ripgrep configuration does not change the results", async () => {
		const root = plant({ a: "x", config: "--invert-match" });
		process.env.RIPGREP_CONFIG_PATH = join(root, "config");
		try {
			expect((await run(root, "x", { paths: ["a"] })).lines).toEqual(["a:1:x"]);
		} finally {
			delete process.env.RIPGREP_CONFIG_PATH;
		}
	});
});

test("regression: lines of a file that `.ignore` or a `.git` leads to are in no problem", async () => {
	const root = plant({
		secret: "{token\n",
		"p/a": "x\n",
		"p/sub/.git": "gitdir: st/w\n",
		"p/st/w/commondir": "..\n",
		"p/st/info/a": "",
	});
	for (const path of ["p/.ignore", "p/st/info/exclude"]) symlinkSync(join(root, "secret"), join(root, path));
	const { outcome } = await run(join(root, "p"), "x");
	expect(outcome).toEqual({ ok: true, matches: 1, files: 1, problems: [] });
});
