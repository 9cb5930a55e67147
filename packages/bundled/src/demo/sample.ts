/** Makes markdown of an exact number of lines, for looking at how Tau shows it. */

/** Blocks that a renderer has to lay out differently; each is whole, so that none is left open at the end. */
const blocks: readonly ((number: number) => readonly string[])[] = [
	(n) => [`## Section ${n}`, ""],
	(n) => [
		`Paragraph ${n} has **bold**, *italic*, ~~struck~~ and \`code\` words, and a [link](https://example.com/${n}).`,
		"",
	],
	(n) => [`- item ${n}`, "  - nested item", "  - nested item with `code`", "- [x] a task that is done", ""],
	(n) => [
		"```ts",
		`export function step${n}(x: number): number {`,
		`\treturn x + ${n}; // one more`,
		"}",
		"```",
		"",
	],
	(n) => [
		"| name | value | note |",
		"| :--- | ---: | :---: |",
		`| row ${n} | ${n * 7} | left |`,
		"| wide | 漢字かな | 中 |",
		"",
	],
	(n) => [`Wide and joined characters ${n}: 日本語 한국어 ｆｕｌｌ 👩‍👩‍👧‍👦 🇪🇺 é ñ ﷽ café नमस्ते`, ""],
	(n) => [`> A quotation, number ${n},`, "> on two lines.", ""],
	(n) => [`1. first of ${n}`, "2. second", "3. third", "", "---", ""],
	(n) => [
		`A long line ${n} that has to be wrapped: ${"all work and no play makes a dull terminal; ".repeat(6)}end.`,
		"",
	],
];

/** Pieces that together are exactly `count` lines, the last one without its line break. */
export function* sampleLines(count: number): Generator<string> {
	let left = count;
	for (let number = 0; left > 0; number++) {
		const lines = blocks[number % blocks.length]?.(Math.floor(number / blocks.length) + 1) ?? [];
		for (const line of lines.length <= left ? lines : lastLines(left)) {
			left--;
			yield left > 0 ? `${line}\n` : line;
		}
	}
}

/** A block that does not fit whole gives way to plain lines. */
function lastLines(count: number): string[] {
	return Array.from({ length: count }, (_, index) => `${count - index} to go`);
}
