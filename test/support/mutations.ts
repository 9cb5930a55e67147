/** Real source files of this repository with random mutations, and the repairs that restore them. */
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { editScript } from "@tau/utils/edit-script";

const root = join(import.meta.dir, "../..");

/** Files of many kinds: code, prose, styles, data. */
const names = [
	"packages/tools/src/tool/define-tool.ts",
	"packages/tools/src/tool/services.ts",
	"packages/session/src/run/agent-session.ts",
	"packages/utils/src/lock.ts",
	"packages/config/src/settings/setting.ts",
	"packages/coding-agent/src/cli/args.ts",
	"packages/server/src/rpc/client.test.ts",
	"packages/web/src/page/styles/base.css",
	"packages/coding-agent/package.json",
	"docs/settings.md",
	"AGENTS.md",
	"tau",
];

const sources = names.map((name) => readFileSync(join(root, name), "utf8"));

/** The directory for thousands of files: in memory if the system has one, because each file is flushed to disk. */
export function quickFolder(): { path: string } & Disposable {
	const path = mkdtempSync(join(memoryDirectory(), "tau-edit-"));
	return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

function memoryDirectory(): string {
	try {
		accessSync("/dev/shm", constants.W_OK);
		return "/dev/shm";
	} catch {
		return tmpdir();
	}
}

/** A seeded generator, so that failures are reproducible. */
export class Dice {
	#state: number;

	constructor(seed: number) {
		this.#state = seed;
	}

	/** An integer from 0 to `sides - 1`. */
	roll(sides: number): number {
		this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((this.#state / 2 ** 32) * sides);
	}

	pick<T>(from: readonly T[]): T {
		const picked = from[this.roll(from.length)];
		if (picked === undefined) throw new Error("nothing to pick from");
		return picked;
	}
}

export interface Spoilt {
	/** The content that the file must have again, byte for byte. */
	original: string;
	spoilt: string;
	/** How its lines end. */
	end: string;
	/** Both as lines, without line ends. */
	wanted: string[];
	lines: string[];
}

/** A part of a real file with unusual properties (CRLF, a byte order mark, no final newline) and random changes. */
export function spoil(dice: Dice): Spoilt {
	const source = dice.pick(sources).split("\n");
	const start = dice.roll(Math.max(1, source.length - 40));
	const wanted = source.slice(start, start + 5 + dice.roll(120));
	const lines = [...wanted];
	for (let times = 1 + dice.roll(4); times > 0; times--) change(lines, dice);
	const [bom, ending, last] = [
		dice.pick(["", "", "\ufeff"]),
		dice.pick(["\n", "\n", "\r\n"]),
		dice.roll(3) > 0,
	];
	// An empty last line without a line feed cannot be distinguished from one with a line feed.
	for (const all of [wanted, lines]) while (all.length > 1 && all.at(-1) === "") all.pop();
	// An empty file has no text to match.
	if (wanted.join("") === "") return spoil(dice);
	if (lines.join("") === "") lines.push("nothing was left");
	// A single line without a newline does not show the line ends of the file.
	const end = lines.length === 1 && !last ? "\n" : ending;
	const whole = (all: readonly string[]) => bom + all.join(end) + (last ? end : "");
	return { original: whole(wanted), spoilt: whole(lines), end, wanted, lines };
}

function change(lines: string[], dice: Dice): void {
	const at = dice.roll(lines.length);
	const line = lines[at] ?? "";
	switch (dice.roll(7)) {
		case 0:
			return void lines.splice(at, 1 + dice.roll(4));
		case 1:
			return void lines.splice(at, 0, ...lines.slice(at, at + 1 + dice.roll(3)));
		case 2:
			return void lines.splice(at, 0, dice.pick(["", "}", "new line", "\tx();", "日本 👍"]));
		case 3:
			return void (lines[at] = `\t${line}`);
		case 4:
			return void (lines[at] =
				`${line.slice(0, dice.roll(line.length + 1))}~${line.slice(-dice.roll(5) - 1)}`);
		case 5:
			return void lines.splice(at, 2, lines[at + 1] ?? "", line);
		default:
			return void (lines[at] = line.trim());
	}
}

/** Lines of the mutated text, counted from 0, and their expected content. */
export interface Repair {
	start: number;
	end: number;
	lines: string[];
}

export function repairs({ lines, wanted }: Pick<Spoilt, "lines" | "wanted">): Repair[] {
	return editScript(lines, wanted, lines.length + wanted.length)
		.filter(({ isSame }) => !isSame)
		.map(({ before, after }) => ({ start: before[0], end: before[1], lines: wanted.slice(...after) }));
}

/** The same repairs with enough context lines to be unique; repairs that then touch are merged. */
export function withContext(
	{ lines }: Pick<Spoilt, "lines">,
	all: readonly Repair[],
	least: number,
): Repair[] {
	const out: Repair[] = [];
	for (const inner of all) {
		const repair = grow(lines, inner, least);
		const before = out.at(-1);
		if (!before || repair.start >= before.end) {
			out.push(repair);
			continue;
		}
		// The text between the two comes from the file, up to the inner change.
		before.lines = [
			...before.lines.slice(0, before.lines.length - Math.max(0, before.end - inner.start)),
			...lines.slice(before.end, Math.max(before.end, inner.start)),
			...inner.lines,
			...lines.slice(inner.end, Math.max(repair.end, before.end)),
		];
		before.end = Math.max(repair.end, before.end);
	}
	return out;
}

function grow(lines: readonly string[], repair: Repair, least: number): Repair {
	for (let context = least; ; context++) {
		const start = Math.max(0, repair.start - context);
		const end = Math.min(lines.length, repair.end + context);
		const isAll = start === 0 && end === lines.length;
		if (!isAll && (start === end || occurrences(lines, lines.slice(start, end)) > 1)) continue;
		return {
			start,
			end,
			lines: [...lines.slice(start, repair.start), ...repair.lines, ...lines.slice(repair.end, end)],
		};
	}
}

function occurrences(lines: readonly string[], block: readonly string[]): number {
	// Compared as characters, as the tool does: a short block may occur inside longer lines.
	const [text, part] = [lines.join("\n"), block.join("\n")];
	if (part === "") return Number.POSITIVE_INFINITY;
	let count = 0;
	for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) count++;
	return count;
}
