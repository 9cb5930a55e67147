import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { samples } from "../../../../test/support/depth.ts";
import { limits } from "../limits.ts";
import { anyText } from "./fixtures/any-text.ts";
import { expandTabs, graphemes, sliceByColumn, stripAnsi, truncateToWidth, visibleWidth } from "./index.ts";

const runs = { numRuns: samples(2000) };
const anyEnd = fc.constantFrom("…", "", "...", "漢");

/** The visible text, without selectors that an escape separated from their base. */
function shown(text: string): string {
	return expandTabs(stripAnsi(text)).replaceAll("\ufe0f", "");
}

describe("for every text and width", () => {
	test("a truncated text fits, and with padding fills the width exactly", () => {
		fc.assert(
			fc.property(anyText, fc.integer({ min: -1, max: 30 }), anyEnd, (text, width, end) => {
				expect(visibleWidth(truncateToWidth(text, width, end))).toBeLessThanOrEqual(Math.max(0, width));
				expect(visibleWidth(truncateToWidth(text, width, end, true))).toBe(Math.max(0, width));
			}),
			runs,
		);
	});

	test("a text that fits is not cut", () => {
		fc.assert(
			fc.property(anyText, (text) => {
				const width = visibleWidth(text);
				fc.pre(width > 0);
				expect(shown(truncateToWidth(text, width))).toBe(shown(text));
				const truncatedWidth = visibleWidth(truncateToWidth(text, width));
				expect(truncatedWidth).toBeLessThanOrEqual(width);
				// Removing an unfinished escape may join the characters around it.
				if (!/[\x1b\x80-\x9f]/.test(text)) expect(truncatedWidth).toBe(width);
			}),
			runs,
		);
	});

	test("adjacent slices are the whole text", () => {
		fc.assert(
			fc.property(anyText, fc.integer({ min: 1, max: 9 }), (text, step) => {
				const whole = visibleWidth(text);
				let joined = "";
				for (let start = 0; start < Math.max(1, whole); start += step) {
					joined += sliceByColumn(text, start, step);
				}
				expect(shown(joined)).toBe(shown(text));
			}),
			runs,
		);
	});

	test("a strict slice never exceeds its cells, any slice at most by the rest of its last character", () => {
		fc.assert(
			fc.property(anyText, fc.nat(20), fc.nat(20), (text, start, length) => {
				expect(visibleWidth(sliceByColumn(text, start, length, true))).toBeLessThanOrEqual(length);
				// Sized text may cover more cells than any character.
				const widest = Math.max(14, ...Array.from(graphemes(stripAnsi(text)), ({ cells }) => cells));
				expect(visibleWidth(sliceByColumn(text, start, length))).toBeLessThan(length + widest);
			}),
			runs,
		);
	});

	test("the widths of parts add up to the width of the whole when they meet between characters", () => {
		fc.assert(
			fc.property(anyText, anyText, (left, right) => {
				// An escape that the first part leaves open would swallow the second.
				const closed = stripAnsi(left);
				expect(visibleWidth(`${closed}|${right}`)).toBe(visibleWidth(closed) + visibleWidth(`|${right}`));
			}),
			runs,
		);
	});

	test("tabs are measured as the spaces that represent them", () => {
		fc.assert(
			fc.property(anyText, (text) => {
				fc.pre(!/[\x1b\x90\x98\x9b\x9d-\x9f]/.test(text));
				expect(visibleWidth(expandTabs(text))).toBe(visibleWidth(text));
			}),
			runs,
		);
	});

	test("stripping is idempotent, and leaves no escape behind", () => {
		fc.assert(
			fc.property(anyText, (text) => {
				expect(visibleWidth(stripAnsi(text))).toBe(visibleWidth(stripAnsi(stripAnsi(text))));
				expect(stripAnsi(text)).not.toMatch(/[\x1b\x9b]\[?\d*m/);
			}),
			runs,
		);
	});
});

describe("styles", () => {
	const link = "\x1b]8;;http://a.b\x1b\\";
	const unlink = "\x1b]8;;\x1b\\";

	test("a slice opens the styles that are open where it starts and closes those that are open where it ends", () => {
		const text = `\x1b[1;31mab\x1b[39mcd${link}ef${unlink}\x1b[22mgh`;
		expect(sliceByColumn(text, 1, 2)).toBe("\x1b[31;1mb\x1b[39mc\x1b[22m");
		expect(sliceByColumn(text, 4, 1)).toBe(`\x1b[1m${link}e\x1b[22m${unlink}`);
		expect(sliceByColumn(text, 6, 2)).toBe("gh");
	});

	test("bold stays when dim ends, although one code ends both", () => {
		const cut = sliceByColumn("\x1b[1mab\x1b[2mcd\x1b[22;1mef", 1, 4);
		expect(cut).toBe("\x1b[1mb\x1b[2mcd\x1b[22;1me\x1b[22m");
	});

	test("colors in all their notations are carried over", () => {
		for (const color of ["38;5;200", "38;2;1;2;3", "38:2::1:2:3", "97"]) {
			expect(sliceByColumn(`\x1b[${color}mabc`, 1, 1)).toBe(`\x1b[${color}mb\x1b[39m`);
		}
		const many = sliceByColumn("\x1b[48;5;7;58;5;1;4:3mabc\x1b[4:0m", 1, 1);
		expect(many).toBe("\x1b[48;5;7;58;5;1;4:3mb\x1b[49;59;24m");
		expect(sliceByColumn("\x1b[38;5mabc", 1, 1)).toBe("b");
	});

	test("the ellipsis has the style of the text but is not part of the link", () => {
		expect(truncateToWidth(`\x1b[31m${link}abcdef`, 4)).toBe(`\x1b[31m${link}abc${unlink}…\x1b[39m`);
	});

	test("a cursor marker keeps its position, once", () => {
		const text = "ab\x1b_pi:c\x07cd";
		expect(sliceByColumn(text, 0, 2)).toBe("ab");
		expect(sliceByColumn(text, 2, 2)).toBe("\x1b_pi:c\x07cd");
		expect(sliceByColumn("ab\x1b_pi:c\x07", 0, 2)).toBe("ab\x1b_pi:c\x07");
	});

	test("an escape that never ends is removed, so that it cannot swallow the text after it", () => {
		expect(truncateToWidth("ab\x1b]8;;http://", 10)).toBe("ab");
		expect(truncateToWidth("ab\x1b[3", 10)).toBe("ab");
		expect(visibleWidth("ab\x1b[3\nc")).toBe(3);
	});

	test("settings that end in m are not read as styles", () => {
		expect(sliceByColumn("\x1b[>4;1mab", 0, 1)).toBe("\x1b[>4;1ma");
	});
});

test("a wide character at the edge belongs to the slice that it starts in, or to none if strict", () => {
	expect(sliceByColumn("a漢b", 0, 2)).toBe("a漢");
	expect(sliceByColumn("a漢b", 2, 2)).toBe("b");
	expect(sliceByColumn("a漢b", 0, 2, true)).toBe("a");
	expect(truncateToWidth("漢字", 3)).toBe("漢…");
	expect(truncateToWidth("漢字", 1, "")).toBe("");
});

test("a selector that an escape separated from its base does not widen it when the escape is removed", () => {
	expect(visibleWidth("1\x1b[0m\ufe0f2")).toBe(2);
	expect(visibleWidth(sliceByColumn("1\x1b[0m\ufe0f2", 0, 2))).toBe(2);
	expect(visibleWidth(truncateToWidth("1\x1b[\ufe0f", 5))).toBe(1);
	expect(visibleWidth(stripAnsi("1\x1b[0m\ufe0f2"))).toBe(2);
});

test("a tab that is cut leaves the spaces of its part", () => {
	expect(limits.tabCells).toBe(3);
	expect(sliceByColumn("a\tb", 2, 3)).toBe("  b");
	expect(truncateToWidth("\tab", 4)).toBe("   …");
	expect(truncateToWidth("\ta", 9)).toBe("   a");
});

test("sized text counts the cells that it covers and is never split", () => {
	expect(visibleWidth("\x1b]66;s=2;Ab\x07")).toBe(4);
	expect(visibleWidth("\x1b]66;s=3:w=2;whatever\x1b\\")).toBe(6);
	expect(sliceByColumn("a\x1b]66;s=2;Ab\x07c", 0, 4, true)).toBe("a");
	expect(stripAnsi("a\x1b]66;s=2;Ab\x07c")).toBe("aAbc");
});
