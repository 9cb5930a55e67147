/** What a client shows of components is what was drawn for it, however slowly it reads and whenever its connection breaks. */
import { expect, test } from "bun:test";
import fc from "fast-check";

import { samples } from "../../../test/support/depth.ts";
import {
	ComponentBoard,
	componentLimits,
	ComponentOutbox,
	noComponentValues,
	type ComponentChanges,
	type ComponentView,
} from "./components.ts";

const row = fc.constantFrom("a", "b", "c", "\u001b[1mbold\u001b[22m", "x".repeat(40));
const view = fc.record({
	id: fc.constantFrom("one", "two", "three"),
	slot: fc.constantFrom("header", "aboveEditor", "overlay", "block"),
	width: fc.integer({ min: 1, max: 3 }),
	rows: fc.array(row, { maxLength: 8 }),
	isFocused: fc.boolean(),
});
/** Each id at most once. */
const views = fc.uniqueArray(view, { selector: ({ id }) => id, maxLength: 3 });
const step = fc.oneof(
	{
		weight: 6,
		arbitrary: views.map((drawn) => ({ kind: "draw" as const, drawn: drawn as ComponentView[] })),
	},
	{ weight: 4, arbitrary: fc.constant({ kind: "read" as const }) },
	{ weight: 1, arbitrary: fc.constant({ kind: "break" as const }) },
	{ weight: 1, arbitrary: fc.constant({ kind: "lose" as const }) },
	{ weight: 1, arbitrary: fc.string().map((title) => ({ kind: "title" as const, title })) },
);

/** As lines of JSON, in which absent fields stay absent. */
const sent = (body: ComponentChanges): ComponentChanges =>
	JSON.parse(JSON.stringify(body)) as ComponentChanges;

test("patches in any schedule of slow reading, lost frames and new connections give what was drawn", () => {
	fc.assert(
		fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
			const board = new ComponentBoard();
			let outbox = new ComponentOutbox();
			let drawn: ComponentView[] = [];
			let values = noComponentValues;
			/** Everything is drawn for a new connection, which has been sent nothing. */
			const reconnect = (): void => {
				outbox = new ComponentOutbox();
				outbox.set(drawn, values);
				board.clear();
			};
			outbox.set(drawn, values);
			for (const next of steps) {
				if (next.kind === "draw") drawn = next.drawn;
				if (next.kind === "title") values = { ...noComponentValues, title: next.title };
				if (next.kind === "break") reconnect();
				outbox.set(drawn, values);
				if (next.kind === "lose") outbox.take();
				if (next.kind !== "read") continue;
				const body = outbox.take();
				if (body && !board.take(sent(body))) {
					reconnect();
					board.take(sent(outbox.take() as ComponentChanges));
				} else if (!body) continue;
				expect([...board.views.values()]).toEqual(drawn);
				expect(board.values).toEqual(values);
			}
		}),
		{ numRuns: samples(500) },
	);
});

test("only rows that have changed are sent", () => {
	const outbox = new ComponentOutbox();
	const rows = Array.from({ length: 30 }, (_, at) => `row ${at}`);
	const one = (changed: readonly string[]): ComponentView[] => [
		{ id: "one", slot: "aboveEditor", width: 80, rows: changed },
	];
	outbox.set(one(rows), noComponentValues);
	outbox.take();
	outbox.set(one(rows.with(3, "new").with(20, "newer")), noComponentValues);
	expect(outbox.take()?.changed).toEqual([
		{
			id: "one",
			slot: "aboveEditor",
			width: 80,
			patch: [
				[3, 1, ["new"]],
				[20, 1, ["newer"]],
			],
		},
	]);
	expect(outbox.take()).toBeUndefined();
	outbox.set(one(["first", ...rows.with(3, "new").with(20, "newer")]), noComponentValues);
	expect(outbox.take()?.changed?.[0]).toMatchObject({ patch: [[0, 0, ["first"]]] });
});

test("rows, their length and all of them together are bounded, and a row says what is left out", () => {
	const outbox = new ComponentOutbox();
	const many = Array.from({ length: 1_000_000 }, () => "row");
	const long = "x".repeat(1_000_000);
	const large = Array.from({ length: componentLimits.rows }, () => "y".repeat(componentLimits.rowChars));
	const huge = [many, [long], large].map((rows, at): ComponentView => ({
		id: `${at}`,
		slot: "block",
		width: 80,
		rows,
	}));
	const crowd = Array.from({ length: 1000 }, (_, at): ComponentView => ({
		id: `more ${at}`,
		slot: "block",
		width: 80,
		rows: large,
	}));
	outbox.set([...huge, ...crowd], noComponentValues);
	const body = sent(outbox.take() as ComponentChanges);
	const board = new ComponentBoard();
	expect(board.take(body)).toBe(true);
	expect(board.views.size).toBe(componentLimits.components);
	const rows = [...board.views.values()].map((each) => each.rows);
	expect(rows[0]).toHaveLength(componentLimits.rows + 1);
	expect(rows[0]?.at(-1)).toBe(`… ${1_000_000 - componentLimits.rows} more rows`);
	expect(rows[1]?.[0]).toHaveLength(componentLimits.rowChars);
	const chars = rows.flat().reduce((sum, each) => sum + each.length, 0);
	expect(chars).toBeLessThanOrEqual(componentLimits.totalChars);
	expect(rows.at(-1)).toEqual([]);
});

test("a frame whose predecessor is missing, or that does not fit, is refused", () => {
	const board = new ComponentBoard();
	const patch = { id: "one", slot: "header", width: 80, patch: [[5, 1, ["x"]]] } as const;
	expect(board.take({ number: 1 })).toBe(false);
	expect(board.take({ number: 0, changed: [patch], ids: ["one"] })).toBe(false);
	expect(board.take({ number: 0, ids: ["nobody"] })).toBe(false);
	const whole = { id: "one", slot: "header", width: 80, rows: ["a"] } as const;
	expect(board.take({ number: 0, ids: ["one"], changed: [whole] })).toBe(true);
	expect(board.take({ number: 1, changed: [patch] })).toBe(false);
	expect([...board.views.values()]).toEqual([whole]);
});
