/** Trees: folding, searching, key handling, and the cost of a very large one. */
import { describe, expect, test } from "bun:test";

import { press, type } from "../editor/testing/keyboard.ts";
import { TreeList, type TreeListOptions, type TreeNode } from "./index.ts";
import { tokenTheme as theme } from "./testing/token-theme.ts";

const roots: TreeNode[] = [
	{
		id: "src",
		label: "src",
		children: [
			{
				id: "ui",
				label: "ui",
				children: [
					{ id: "box", label: "box.ts" },
					{ id: "text", label: "text.ts" },
				],
			},
			{ id: "main", label: "main.ts" },
		],
	},
	{ id: "docs", label: "docs", children: [{ id: "readme", label: "README.md" }] },
];

function shown(tree: TreeList, width = 40): string[] {
	return tree.render(width).map((row) => Bun.stripANSI(row).trimEnd());
}

function treeList(options: TreeListOptions = {}, nodes = roots) {
	const tree = new TreeList(nodes, 20, theme, options);
	const calls: string[] = [];
	tree.onSelect = ({ id }) => void calls.push(`select ${id}`);
	tree.onCancel = () => void calls.push("cancel");
	tree.onSelectionChange = ({ id }) => void calls.push(id);
	return { tree, calls };
}

describe("a tree", () => {
	test("draws where each branch continues and ends", () => {
		expect(shown(treeList().tree)).toEqual([
			"❯ ▾ src",
			"  ├─ ▾ ui",
			"  │  ├─ box.ts",
			"  │  └─ text.ts",
			"  └─ main.ts",
			"  ▾ docs",
			"  └─ README.md",
		]);
	});

	test("folds with left or space, and unfolds with right or space", () => {
		const { tree } = treeList({ folded: ["docs"] });
		press(tree, "down", "left");
		expect(shown(tree)).toEqual(["  ▾ src", "❯ ├─ ▸ ui", "  └─ main.ts", "  ▸ docs"]);
		press(tree, "right");
		expect(shown(tree)).toContain("  │  └─ text.ts");
		press(tree, " ");
		expect(tree.isFolded("ui")).toBe(true);
		press(tree, " ");
		expect(tree.isFolded("ui")).toBe(false);
	});

	test("enters a branch with right and leaves it with left", () => {
		const { tree, calls } = treeList();
		press(tree, "right", "right", "right", "left", "left", "left");
		expect(calls).toEqual(["ui", "box", "ui", "src"]);
		expect(tree.isFolded("ui")).toBe(true);
	});

	test("keeps the selected node when the tree changes, or its nearest ancestor", () => {
		const { tree } = treeList();
		tree.select("text");
		tree.setRoots([{ id: "new", label: "new" }, ...roots]);
		expect(tree.getSelected()?.id).toBe("text");
		tree.setFolded("ui", true);
		expect(tree.getSelected()?.id).toBe("ui");
		tree.setRoots([{ id: "other", label: "other" }]);
		expect(tree.getSelected()?.id).toBe("other");
	});

	test("unfolds the ancestors of a node that is selected by code", () => {
		const { tree } = treeList({ folded: ["src", "ui"] });
		expect(tree.select("box")).toBe(true);
		expect(shown(tree)).toContain("❯ │  ├─ box.ts");
		expect(tree.select("nowhere")).toBe(false);
		expect(tree.getSelected()?.id).toBe("box");
	});

	test("reports selection and cancellation", () => {
		const { tree, calls } = treeList();
		press(tree, "end", "enter", "escape");
		expect(calls).toEqual(["readme", "select readme", "cancel"]);
	});

	test("that is empty accepts every key without harm", () => {
		const { tree, calls } = treeList({ enableSearch: true }, []);
		press(tree, "up", "down", "left", "right", " ", "enter", "home", "end", "pageDown", "escape");
		expect(tree.getSelected()).toBeNull();
		expect(calls).toEqual(["cancel"]);
	});
});

describe("the search in a tree", () => {
	test("shows matches and their ancestors, folded or not", () => {
		const { tree } = treeList({ enableSearch: true, folded: ["src"] });
		type(tree, "text");
		expect(shown(tree).slice(2)).toEqual(["  ▾ src", "  └─ ▾ ui", "❯    └─ text.ts"]);
		expect(tree.getSelected()?.id).toBe("text");
	});

	test("is cleared by the first Escape; the match stays selected", () => {
		const { tree, calls } = treeList({ enableSearch: true });
		type(tree, "main");
		press(tree, "escape");
		expect(calls).toEqual([]);
		expect(tree.getSelected()?.id).toBe("main");
		expect(shown(tree)).toContain("  └─ README.md");
		press(tree, "escape");
		expect(calls).toEqual(["cancel"]);
	});

	test("accepts a space as part of the query", () => {
		const { tree } = treeList({ enableSearch: true });
		type(tree, "ui text");
		expect(shown(tree)[0]).toBe("> ui text");
		expect(tree.isFolded("text")).toBe(false);
	});

	test("ends when a node is selected by code", () => {
		const { tree } = treeList({ enableSearch: true });
		type(tree, "main");
		tree.select("box");
		expect(shown(tree)[0]).toBe(">");
		expect(shown(tree)).toContain("  └─ README.md");
	});

	test("shows that nothing matches", () => {
		const { tree } = treeList({ enableSearch: true });
		type(tree, "zzz");
		expect(shown(tree).at(-1)).toBe("  No matches");
		press(tree, "enter", "left", "right");
	});
});

describe("a conversation", () => {
	const chain = (ids: string[], rest: TreeNode[] = []): TreeNode[] =>
		ids.reduceRight<TreeNode[]>((children, id) => [{ id, label: id, children }], rest);

	test("is not a staircase: it is indented only where it branches", () => {
		const nodes = chain(["1", "2"], [...chain(["3a", "4a"]), ...chain(["3b", "4b"], chain(["5b"]))]);
		const { tree } = treeList({ flatChains: true }, nodes);
		expect(shown(tree)).toEqual(["❯ 1", "  ▾ 2", "  ├─ 3a", "  │  4a", "  └─ 3b", "     4b", "     5b"]);
		press(tree, "end", "left");
		expect(tree.getSelected()?.id).toBe("2");
	});
});

describe("a very large tree", () => {
	test("is read only where it is visible", () => {
		let read = 0;
		const nodes = Array.from({ length: 100_000 }, (_, at) => ({
			id: `${at}`,
			get label() {
				read++;
				return `node ${at}`;
			},
		}));
		const tree = new TreeList(nodes, 10, theme);
		press(tree, "end");
		expect(shown(tree).at(-2)).toBe("❯ node 99999");
		expect(read).toBe(10);
	});

	test("may be a hundred thousand levels deep", () => {
		let nodes: TreeNode[] = [];
		for (let level = 100_000; level > 0; level--)
			nodes = [{ id: `${level}`, label: `${level}`, children: nodes }];
		const tree = new TreeList(nodes, 3, theme, { enableSearch: true });
		press(tree, "end");
		expect(shown(tree).at(-2)).toMatch(/^❯ ‹ +└─ 100000$/);
		type(tree, "99999");
		expect(tree.getSelected()?.id).toBe("99999");
	});

	test("may be its own child", () => {
		const node: { id: string; label: string; children: TreeNode[] } = { id: "a", label: "a", children: [] };
		node.children.push(node, { id: "b", label: "b" });
		const tree = new TreeList([node], 5, theme, { enableSearch: true });
		expect(shown(tree).slice(2)).toEqual(["❯ ▾ a", "  └─ b"]);
		type(tree, "b");
		expect(tree.getSelected()?.id).toBe("b");
	});
});
