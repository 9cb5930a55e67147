/** The tree shows what the filter and the search select, with its branches, and keys move as expected. */
import { describe, expect, test } from "bun:test";

import fc from "fast-check";
import { treeFilters } from "@tau/config/settings";

import { leafOf, type TreeEntry } from "@tau/session-commands/work";
import { guidesOf } from "./draw-row.ts";
import { foldOrUp, nearestShown, pathTo, treeRows, unfoldOrDown, type TreeView } from "./tree-rows.ts";

function entry(id: string, parentId: string | null, facts: Partial<TreeEntry> = {}): TreeEntry {
	const head = facts.speaker ?? "user";
	return {
		id,
		parentId,
		timestamp: `2026-01-01T00:00:0${id.length}Z`,
		type: "message",
		speaker: "user",
		head,
		text: id,
		searchText: `message ${head} ${id}`,
		isToolOnly: false,
		hasFailed: false,
		...facts,
	};
}

/** a → b → c → d on one branch, a → b → x → y on another. */
const forked = [
	entry("a", null),
	entry("b", "a", { speaker: "assistant" }),
	entry("c", "b"),
	entry("d", "c", { speaker: "assistant" }),
	entry("x", "b"),
	entry("y", "x", { speaker: "assistant" }),
];

function view(more: Partial<TreeView> = {}): TreeView {
	return {
		entries: forked,
		labels: new Map(),
		leafId: "y",
		filter: "default",
		search: "",
		folded: new Set(),
		...more,
	};
}

function drawn(more: Partial<TreeView> = {}): string[] {
	return treeRows(view(more)).map((row) => {
		const marks = `${row.isFolded ? "▸" : ""}${row.isActive ? "•" : ""}${row.isLeaf ? "!" : ""}`;
		return `${guidesOf(row, 200)}${marks}${row.entry.id}`;
	});
}

describe("a conversation", () => {
	test("without branches is one column", () => {
		const line = ["a", "b", "c", "d"].map((id, at, ids) => entry(id, ids[at - 1] ?? null));
		expect(drawn({ entries: line, leafId: "d" })).toEqual(["•a", "•b", "•c", "•!d"]);
	});

	test("gets a column for each branch at a fork, the older first, and the current path is marked", () => {
		expect(drawn()).toEqual(["•a", "•b", "├─ c", "│  d", "└─ •x", "   •!y"]);
	});

	test("with two roots has both side by side", () => {
		const roots = [entry("a", null), entry("b", "a"), entry("c", null), entry("d", "lost")];
		expect(drawn({ entries: roots, leafId: "b" })).toEqual(["├─ •a", "│  •!b", "├─ c", "└─ d"]);
	});

	test("of 20,000 entries in a row is drawn", () => {
		const long = Array.from({ length: 20_000 }, (_, at) => entry(`n${at}`, at === 0 ? null : `n${at - 1}`));
		expect(treeRows(view({ entries: long, leafId: "n19999" })).length).toBe(20_000);
	});
});

describe("a filter", () => {
	test("leaves out the usage of a summary, also where the session ends with it", () => {
		const noted = [...forked, entry("u", "y", { type: "usage" })];
		expect(drawn({ entries: noted, leafId: "u" })).toEqual(drawn());
		expect(drawn({ entries: noted, leafId: "u", filter: "all" })).toHaveLength(forked.length + 1);
	});

	const tools = [
		entry("u", null),
		entry("t", "u", { speaker: "assistant", isToolOnly: true }),
		entry("r", "t", { speaker: "tool" }),
		entry("f", "r", { speaker: "assistant", isToolOnly: true, hasFailed: true }),
		entry("m", "f", { type: "model_change", speaker: "bookkeeping" }),
		entry("s", "m", { type: "session_info", speaker: "bookkeeping" }),
		entry("l", "s", { type: "label", speaker: "bookkeeping" }),
		entry("e", "l", { type: "custom_message", speaker: "custom" }),
		entry("k", "e", { type: "custom", speaker: "bookkeeping" }),
		entry("z", "k", { speaker: "assistant" }),
	];
	const ids = (filter: TreeView["filter"], leafId = "z") => {
		const labels = new Map([["r", { label: "here", timestamp: "t" }]]);
		return treeRows(view({ entries: tools, labels, filter, leafId }))
			.map(({ entry: { id } }) => id)
			.join("");
	};

	test.each([
		["default", "urfsez"],
		["no-tools", "ufsez"],
		["user-only", "u"],
		["labeled-only", "r"],
		["all", "utrfmslekz"],
	] as const)("%s shows %s", (filter, shown) => {
		expect(ids(filter)).toBe(shown);
	});

	test("keeps an answer with only tool calls if it is the current entry", () => {
		expect(ids("default", "t")).toBe("utrfsez");
	});

	test("attaches the children of hidden entries to the visible ancestor", () => {
		expect(drawn({ filter: "user-only" })).toEqual(["•a", "├─ c", "└─ •x"]);
	});
});

describe("a search", () => {
	test("requires all words, ignoring case, in text, role and label", () => {
		const labels = new Map([["c", { label: "Milestone", timestamp: "t" }]]);
		const found = (search: string) => treeRows(view({ search, labels })).map(({ entry: { id } }) => id);
		expect(found("ASSISTANT d")).toEqual(["d"]);
		expect(found("mile")).toEqual(["c"]);
		expect(found("user c nothing")).toEqual([]);
	});

	test("includes folded entries", () => {
		expect(drawn({ folded: new Set(["x"]) }).at(-1)).toBe("└─ ▸•x");
		expect(drawn({ folded: new Set(["x"]), search: "y" })).toEqual(["•!y"]);
	});
});

test("the current entry ignores labels and custom entries after it", () => {
	const noted = [...forked, entry("n", "y", { type: "label" }), entry("o", "n", { type: "custom" })];
	const byId = new Map(noted.map((each) => [each.id, each]));
	expect([leafOf(byId, "o"), leafOf(byId, "y"), leafOf(byId, null)]).toEqual(["y", "y", null]);
});

test("a hidden entry is represented by its visible ancestor, else by the last row", () => {
	const byId = new Map(forked.map((each) => [each.id, each]));
	const rows = treeRows(view({ filter: "user-only" }));
	expect([
		nearestShown(byId, rows, "y"),
		nearestShown(byId, rows, "b"),
		nearestShown(byId, rows, "?"),
	]).toEqual(["x", "a", "x"]);
});

describe("folding", () => {
	const rows = treeRows(view());
	test("folds a branch at its start, and moves there from within", () => {
		expect(foldOrUp(rows, "x")).toEqual({ fold: "x" });
		expect(foldOrUp(rows, "y")).toEqual({ go: "x" });
		expect(foldOrUp(treeRows(view({ folded: new Set(["x"]) })), "x")).toEqual({ go: "a" });
		expect(foldOrUp(rows, "b")).toEqual({ go: "a" });
	});

	test("unfolds, or moves to the next fork, or to the end of the branch", () => {
		expect(unfoldOrDown(treeRows(view({ folded: new Set(["x"]) })), "x")).toEqual({ unfold: "x" });
		expect(unfoldOrDown(rows, "a")).toEqual({ go: "c" });
		expect(unfoldOrDown(rows, "c")).toEqual({ go: "d" });
		expect(unfoldOrDown(rows, "d")).toEqual({ go: "x" });
		expect(unfoldOrDown(rows, "y")).toEqual({ go: "y" });
	});
});

test("guides never exceed their share of the width: of a deep tree the innermost are visible", () => {
	const levels = Array.from({ length: 40 }, (_, at) => at % 2 === 0);
	expect(guidesOf({ levels, isStart: true }, 40)).toBe("…    │     │  └─ ");
});

/** Any tree that a file may contain, including cycles and missing parents. */
const anyEntries = fc
	.array(
		fc.record({
			parent: fc.option(fc.nat(30), { nil: null }),
			type: fc.constantFrom("message", "label", "custom", "compaction"),
			speaker: fc.constantFrom("user", "assistant", "tool" as const),
			isToolOnly: fc.boolean(),
		}),
		{ maxLength: 25 },
	)
	.map((facts) =>
		facts.map(({ parent, ...rest }, at) =>
			entry(`n${at}`, parent === null ? null : `n${parent}`, rest as Partial<TreeEntry>),
		),
	);

test("property: every row follows its parent and none is repeated, whatever the file", () => {
	fc.assert(
		fc.property(anyEntries, fc.constantFrom(...treeFilters), fc.nat(25), (entries, filter, leaf) => {
			const rows = treeRows(view({ entries, filter, leafId: `n${leaf}` }));
			const seen = new Set<string>();
			for (const row of rows) {
				if (seen.has(row.entry.id)) return false;
				if (row.parent !== null && !seen.has(row.parent)) return false;
				seen.add(row.entry.id);
			}
			const byId = new Map(entries.map((each) => [each.id, each]));
			for (const { id } of entries) pathTo(byId, id);
			for (const { entry: each } of rows) {
				foldOrUp(rows, each.id);
				unfoldOrDown(rows, each.id);
			}
			return true;
		}),
	);
});
