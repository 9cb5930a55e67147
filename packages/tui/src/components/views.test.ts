/** Scroll views, questions, status lines, charts and broken components. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Component } from "../component.ts";
import { press } from "../editor/testing/keyboard.ts";
import { visibleWidth } from "../text.ts";
import {
	Confirm,
	guarded,
	HintLine,
	ProgressBar,
	progressBar,
	rawKeyHint,
	ScrollView,
	sparkline,
	StatusLine,
	type ConfirmOptions,
	type ScrollViewOptions,
} from "./index.ts";
import { tokenTheme as theme } from "./testing/token-theme.ts";

function shown(component: Component, width = 40): string[] {
	return component.render(width).map((row) => Bun.stripANSI(row).trimEnd());
}

class Rows implements Component {
	count: number;
	asked = 0;

	constructor(count: number) {
		this.count = count;
	}

	render(): string[] {
		return Array.from({ length: this.count }, (_, at) => `row ${at}`);
	}

	invalidate(): void {}
}

/** Creates only the requested rows. */
class RangedRows extends Rows {
	rowCount(): number {
		return this.count;
	}

	rows(_width: number, from: number, to: number): string[] {
		this.asked += to - from;
		return Array.from({ length: to - from }, (_, at) => `row ${from + at}`);
	}

	override render(): string[] {
		throw new Error("all rows were asked for");
	}
}

describe("a scroll view", () => {
	function view(count: number, options: Partial<ScrollViewOptions> = {}) {
		const content = new Rows(count);
		const scroll = new ScrollView(content, theme, { height: 4, ...options });
		const seen = (): (string | undefined)[] => shown(scroll, 20).map((row) => /row \d+/.exec(row)?.[0]);
		return { content, scroll, seen };
	}

	test("with content that fits shows it without a bar", () => {
		expect(shown(view(3).scroll)).toEqual(["row 0", "row 1", "row 2"]);
	});

	test("scrolls by rows and by pages, and not beyond the ends", () => {
		const { scroll, seen } = view(10);
		const top = (): string | undefined => seen()[0];
		expect(top()).toBe("row 0");
		const places = ["down", "pageDown", "pageDown", "down", "up", "home", "up", "end"].map((key) => {
			press(scroll, key);
			return top();
		});
		expect(places).toEqual(["row 1", "row 4", "row 6", "row 6", "row 5", "row 0", "row 0", "row 6"]);
		expect(scroll.atEnd).toBe(true);
	});

	test("has a bar that touches an end only when that end is visible", () => {
		const { scroll } = view(100, { height: 10 });
		const thumb = (): number => shown(scroll, 20).findIndex((row) => row.endsWith("┃"));
		expect(thumb()).toBe(0);
		press(scroll, "down");
		expect(thumb()).toBe(1);
		press(scroll, "end");
		expect(thumb()).toBe(9);
		press(scroll, "up");
		expect(thumb()).toBe(8);
	});

	test("follows growing content until the user scrolls up, and again from the end on", () => {
		const { content, scroll, seen } = view(10, { follow: true });
		expect(seen().at(-1)).toBe("row 9");
		content.count = 20;
		expect(seen().at(-1)).toBe("row 19");
		press(scroll, "up");
		content.count = 30;
		expect(seen().at(-1)).toBe("row 18");
		press(scroll, "end");
		content.count = 40;
		expect(seen().at(-1)).toBe("row 39");
	});

	test("that does not follow keeps its position when the content grows, also at the end", () => {
		const { content, scroll, seen } = view(10);
		seen();
		press(scroll, "end");
		content.count = 20;
		expect(seen()[0]).toBe("row 6");
	});

	test("shows the end of content that became shorter", () => {
		const { content, scroll, seen } = view(50);
		seen();
		press(scroll, "end");
		content.count = 10;
		expect(seen()).toEqual(["row 6", "row 7", "row 8", "row 9"]);
	});

	test("takes its height from the screen", () => {
		let height = 2;
		const { scroll } = view(10, { height: () => height });
		expect(shown(scroll)).toHaveLength(2);
		height = 6;
		expect(shown(scroll)).toHaveLength(6);
		height = 0;
		expect(shown(scroll)).toHaveLength(1);
	});

	test("requests only the visible rows of a tall component", () => {
		const content = new RangedRows(1_000_000);
		const scroll = new ScrollView(content, theme, { height: 10 });
		scroll.render(40);
		press(scroll, "end");
		expect(shown(scroll).at(-1)).toContain("row 999999");
		expect(content.asked).toBe(20);
	});

	test("passes other keys to its content", () => {
		const keys: string[] = [];
		const content = {
			...new Rows(3),
			render: () => ["x"],
			invalidate: () => {},
			handleInput: (data: string) => void keys.push(data),
		};
		press(new ScrollView(content, theme, { height: 4 }), "a", "down", "b");
		expect(keys).toEqual(["a", "b"]);
	});
});

describe("a question", () => {
	function ask(options: Partial<ConfirmOptions> = {}) {
		const confirm = new Confirm(theme, { question: "Delete it?", ...options });
		const answers: (boolean | undefined)[] = [];
		confirm.onAnswer = (answer) => void answers.push(answer);
		return { confirm, answers };
	}

	test.each([
		[["enter"], true],
		[["right", "enter"], false],
		[["right", "left", "enter"], true],
		[["tab", "enter"], false],
		[["y"], true],
		[["n"], false],
		[["escape"], undefined],
	])("answered with %j is %p", (keys, answer) => {
		const { confirm, answers } = ask();
		press(confirm, ...keys);
		expect(answers).toEqual([answer]);
	});

	test("that is dangerous is not answered by a letter, and 'no' is preselected", () => {
		const { confirm, answers } = ask({ isDangerous: true });
		press(confirm, "y", "n");
		expect(answers).toEqual([]);
		press(confirm, "enter");
		expect(answers).toEqual([false]);
		press(confirm, "y", "enter");
		expect(answers).toEqual([false, true]);
	});

	test("shows its details completely, and as plain text", () => {
		const detail = `\x1b[2J${Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n")}`;
		const { confirm } = ask({ detail });
		expect(confirm.render(40).join("")).not.toContain("\x1b[2J");
		expect(shown(confirm).join("\n")).not.toContain("line 39");
		press(confirm, "end");
		expect(shown(confirm).join("\n")).toContain("line 39");
	});
});

describe("a broken component", () => {
	const healthy: Component = { render: () => ["fine"], invalidate: () => {} };

	function guard(component: Component) {
		const reports: string[] = [];
		const safe = guarded(component, {
			name: "my-extension",
			theme,
			onFailure: (why) => void reports.push(why),
		});
		return { safe, reports };
	}

	test("is replaced by a row with its name and the reason, and reported once", () => {
		const { safe, reports } = guard({
			...healthy,
			render: () => {
				throw new Error("no such thing\n\x1b[2J");
			},
		});
		expect(shown(safe)).toEqual(["✗ my-extension: no such thing"]);
		safe.render(40);
		safe.handleInput("x");
		expect(reports).toEqual(["no such thing"]);
	});

	test("that only fails on a narrow screen recovers on a wide one", () => {
		const { safe, reports } = guard({ ...healthy, render: (width) => [" ".repeat(width - 10) + "x"] });
		expect(shown(safe, 5)[0]).toStartWith("✗");
		expect(shown(safe, 12)).toEqual(["  x"]);
		expect(reports).toHaveLength(1);
	});

	test("that fails on a key shows the failure until the next key", () => {
		const { safe, reports } = guard({
			...healthy,
			handleInput: (data) => {
				const word: unknown = "a word";
				if (data === "x") throw word;
			},
		});
		press(safe, "x");
		expect(shown(safe)).toEqual(["✗ my-extension: a word"]);
		press(safe, "y");
		expect(shown(safe)).toEqual(["fine"]);
		expect(reports).toEqual(["a word"]);
	});

	test.each([[undefined], ["a text"], [[1, 2]], [null], [[undefined]]])(
		"that returns %j as rows counts as broken",
		(rows) => {
			const { safe } = guard({ ...healthy, render: () => rows as unknown as string[] });
			expect(shown(safe, 80)).toEqual(["✗ my-extension: render() did not return a list of rows"]);
		},
	);

	test("may fail in every other way, too", () => {
		const fail = (): never => {
			throw Object.create(null);
		};
		const component = { ...healthy, invalidate: fail, dispose: fail, isFinal: fail };
		Object.defineProperty(component, "focused", { get: fail, set: fail });
		const { safe, reports } = guard(component);
		safe.invalidate();
		safe.dispose();
		safe.focused = true;
		expect({ focused: safe.focused, final: safe.isFinal() }).toEqual({ focused: false, final: true });
		expect(reports).toEqual(["it failed without a reason"]);
	});

	test("is unchanged as long as it works", () => {
		const keys: string[] = [];
		let disposed = 0;
		const component = {
			...healthy,
			focused: false,
			wantsKeyRelease: true,
			handleInput: (data: string) => void keys.push(data),
			isFinal: () => false,
			dispose: () => void disposed++,
		};
		const { safe, reports } = guard(component);
		safe.focused = true;
		press(safe, "a");
		safe.dispose();
		expect(shown(safe)).toEqual(["fine"]);
		expect({ keys, reports, disposed, isFinal: safe.isFinal() }).toEqual({
			keys: ["a"],
			reports: [],
			disposed: 1,
			isFinal: false,
		});
		expect({ inner: component.focused, release: safe.wantsKeyRelease }).toEqual({
			inner: true,
			release: true,
		});
		expect(guard(healthy).safe.isFinal()).toBe(true);
	});
});

describe("a status line", () => {
	const line = new StatusLine(theme, () => ({
		left: [{ text: "~/project", priority: 2 }, { text: "main\nbranch" }],
		right: [{ text: "model", priority: 3 }, { text: "12%", priority: 1 }, { text: "" }],
	}));

	test("leaves out the least important segments, and never moves the rest off the edge", () => {
		expect(shown(line, 50)).toEqual([`~/project · main branch${" ".repeat(16)}model · 12%`]);
		expect(shown(line, 30)).toEqual([`~/project${" ".repeat(10)}model · 12%`]);
		expect(shown(line, 20)).toEqual(["~/project      model"]);
		expect(shown(line, 10)).toEqual([`${" ".repeat(5)}model`]);
		expect(shown(line, 4)).toEqual(["mod…"]);
	});

	test("without segments is not shown", () => {
		expect(new StatusLine(theme, () => ({ left: [{ text: " " }] })).render(40)).toEqual([]);
	});
});

test("hints that do not fit are left out completely, the last ones first", () => {
	const hints = new HintLine(theme, () => [
		rawKeyHint(theme, "enter", "take"),
		"",
		rawKeyHint(theme, "escape", "leave"),
	]);
	expect(shown(hints, 40)).toEqual([" enter take · esc leave"]);
	expect(shown(hints, 20)).toEqual([" enter take"]);
	expect(shown(hints, 8)).toEqual([" enter …"]);
	expect(new HintLine(theme, () => []).render(40)).toEqual([]);
});

describe("charts of numbers", () => {
	test("a bar has the given width, and is fuller for larger shares", () => {
		fc.assert(
			fc.property(fc.double(), fc.integer({ min: 0, max: 60 }), (share, width) => {
				expect(visibleWidth(progressBar(share, width))).toBe(width);
			}),
		);
		expect(["────", "█───", "██▌─", "████"]).toEqual(
			[0, 0.25, 0.625, 1].map((share) => progressBar(share, 4)),
		);
	});

	test("a bar is only full when everything is done", () => {
		const row =
			shown(new ProgressBar(theme, { label: "Load", share: 0.999, note: "of 3 files" }), 60)[0] ?? "";
		expect(row).toMatch(/^Load █+.? +99% of 3 files$/);
		expect(shown(new ProgressBar(theme, { share: Number.NaN }), 12)).toEqual(["───────   0%"]);
	});

	test("a sparkline shows as many of the last values as fit", () => {
		expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7, 8], 9)).toBe("▁▂▃▄▅▆▇██");
		expect(sparkline([100, 1, 1, 1], 3)).toBe("███");
		expect(sparkline([0, 0], 5)).toBe("▁▁");
		expect(sparkline([Number.NaN, -1, Number.POSITIVE_INFINITY, 1], 4)).toBe("▁▁▁█");
		expect(
			sparkline(
				Array.from({ length: 500_000 }, () => 1),
				0,
			),
		).toBe("");
	});
});
