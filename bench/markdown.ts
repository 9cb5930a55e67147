/** What an answer in Markdown costs while it comes, drawn after every delta, as no screen ever asks for. */
import { builtinTheme, loadLanguage, Markdown, markdownTheme } from "@tau/tui";

import type { Row } from "./report.ts";

const answerChars = 200_000;
const deltas = 4000;
const width = 100;
const rounds = 3;

/** What models write: prose, lists, code, tables, quotes. */
const chapter = `## A part of the answer

The parser reads **each line once**, keeps what is *finished* and lays out only the open block; see
[the notes](https://example.com/notes) and \`layout.ts\` for the details of how it is done and why that is enough.
A paragraph of a few sentences follows, because that is what most answers consist of, with ~~some~~ styles in it.

1. First a step that says what to do, with \`code\` in it.
2. Then another one:
   - a nested point with **weight**
   - and one more that is so long that it has to be wrapped at any width that a terminal may have on a laptop
3. And the last.

\`\`\`ts
export function settle(rows: readonly string[], width: number): string[] {
	// Each row is measured once.
	const fitting = rows.filter((row) => row.length <= width);
	return fitting.map((row) => \`\${row}\${" ".repeat(width - row.length)}\`);
}
\`\`\`

| what | before | after |
| --- | ---: | ---: |
| lexing | 1,075 ms | 22 ms |
| layout | 7,200 ms | 310 ms |

> A quote that a person may want to read again, in two
> lines.

`;

export async function markdown(): Promise<Row[]> {
	await loadLanguage("ts");
	const shapes: Shape[] = [
		["answers", chapter],
		["one list", "- a point with **weight** and `code` that goes on for a while\n"],
		["one block of code", 'const answer: number = compute("a string", 42); // and why\n'],
		["one table", "| lexing | 1,075 ms | **22** ms |\n"],
		["one paragraph", "words with *weight* and `code` that go on and on "],
		// Written to be slow; nobody waits for it, but nobody must hang on it either.
		["open brackets", "[a *b `c <d ", 2500],
	];
	return shapes.flatMap((shape) => rowsOf(...shape));
}

type Shape = [name: string, text: string, budget?: number];

function rowsOf(name: string, text: string, budget = 1000): Row[] {
	const whole = head(name) + text.repeat(Math.ceil(answerChars / text.length)).slice(0, answerChars);
	const half = whole.slice(0, whole.length / 2);
	let [ms, halfMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
	for (let round = 0; round < rounds; round++) {
		halfMs = Math.min(halfMs, stream(half, deltas / 2));
		ms = Math.min(ms, stream(whole, deltas));
	}
	return [
		{ name: `${name}, ${answerChars / 1000} KB in ${deltas} deltas`, value: ms, unit: "ms", budget },
		{ name: `${name}, twice as long`, value: ms / halfMs / 2, unit: "of linear", budget: 1.3 },
	];
}

function head(name: string): string {
	if (name === "one block of code") return "```ts\n";
	return name === "one table" ? "| what | before | after |\n| --- | ---: | --- |\n" : "";
}

/** Milliseconds of CPU. */
function stream(text: string, count: number): number {
	const view = new Markdown("", 1, 0, markdownTheme(builtinTheme("dark", "truecolor")));
	const size = text.length / count;
	Bun.gc(true);
	const before = process.cpuUsage();
	for (let at = 0; at < count; at++) {
		view.append(text.slice(Math.round(at * size), Math.round((at + 1) * size)));
		view.rows(width, Math.max(0, view.rowCount(width) - 50), view.rowCount(width));
	}
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}
