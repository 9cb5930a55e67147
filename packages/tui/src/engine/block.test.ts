/** A long conversation is not kept laid out: blocks in the terminal's history are released, and can be restored. */
import { describe, expect, test } from "bun:test";

import fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import type { Scrolled } from "../component.ts";
import { Markdown } from "../markdown/index.ts";
import { builtinTheme } from "../theme/index.ts";
import { markdownTheme } from "../theme/component-themes.ts";
import { Block } from "./block.ts";
import { Transcript } from "./transcript.ts";

const theme = markdownTheme(builtinTheme("dark", "truecolor"));

/** Keeps rows until it is told to release them. */
class Keeper implements Scrolled {
	#rows: string[] | undefined;
	let = 0;

	get isKeeping(): boolean {
		return this.#rows !== undefined;
	}

	invalidate(): void {
		this.#rows = undefined;
		this.let++;
	}

	render(width: number): string[] {
		return this.rows(width, 0, this.rowCount(width));
	}

	rowCount(width: number): number {
		this.#rows ??= Array.from({ length: 10 }, (_, at) => `${at}`.padEnd(width));
		return this.#rows.length;
	}

	rows(width: number, from: number, to: number): string[] {
		this.rowCount(width);
		return this.#rows?.slice(from, to) ?? [];
	}

	liveFrom(width: number): number {
		return this.rowCount(width);
	}
}

describe("a block that provides its rows on demand", () => {
	test("releases them once, and again after they were requested", () => {
		const keeper = new Keeper();
		const block = new Block(keeper);
		block.layout(20);
		const rows = block.rows(0, 10);
		block.release();
		block.release();
		expect([keeper.let, keeper.isKeeping]).toEqual([1, false]);
		expect(block.rows(0, 10)).toEqual(rows);
		block.release();
		expect([keeper.let, keeper.isKeeping]).toEqual([2, false]);
	});

	test("releases them as soon as they are well inside the history", () => {
		const transcript = new Transcript();
		const keepers = Array.from({ length: 200 }, () => new Keeper());
		for (const keeper of keepers) transcript.addChild(keeper);
		const count = transcript.rowCount(20);
		transcript.rows(20, count - 24, count);
		transcript.committed(count - 24);
		const kept = keepers.filter(({ isKeeping }) => isKeeping).length;
		expect(kept).toBeGreaterThan(0);
		expect(kept).toBeLessThan(100);
		expect(keepers.at(-1)?.isKeeping).toBe(true);
	});
});

test("released Markdown is drawn as before, also when it grows", () => {
	// The definition is a paragraph of its own: as a part of another one it would be a link, and one that is drawn
	// before its definition has arrived is drawn anew when the text is released.
	const parts = fc.array(
		fc.oneof(
			fc.string({ unit: "grapheme", maxLength: 12 }),
			fc.constantFrom("\n", "\n\n", "```\n", "- a\n", "| a | b |\n", "|-|-|\n", "# ", "**", "\n\n[x]: y\n\n"),
		),
		{ maxLength: 30 },
	);
	fc.assert(
		fc.property(parts, parts, fc.integer({ min: 4, max: 40 }), (first, second, width) => {
			const once = new Markdown(first.join(""), 1, 0, theme);
			const before = once.render(width);
			once.invalidate();
			expect(once.render(width)).toEqual(before);
			const streamed = new Markdown("", 1, 0, theme);
			const plain = new Markdown("", 1, 0, theme);
			for (const part of [...first, ...second]) {
				streamed.append(part);
				plain.append(part);
				streamed.render(width);
				streamed.invalidate();
			}
			expect(streamed.render(width)).toEqual(plain.render(width));
			const whole = [...first, ...second].join("");
			streamed.setText(whole);
			streamed.invalidate();
			streamed.setText(`${whole}\n\nmore`);
			expect(streamed.render(width)).toEqual(new Markdown(`${whole}\n\nmore`, 1, 0, theme).render(width));
		}),
		{ numRuns: samples(100) },
	);
});
