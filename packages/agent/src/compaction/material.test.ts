/** The input of a summary and the file list below it are short, complete enough, and harmless. */
import { describe, expect, test } from "bun:test";

import type { Message } from "@tau/ai";
import fc from "fast-check";

import { correction, windowBudget, type WindowSettings } from "./budget.ts";
import { fileLists, fileOperations, readFileLists, type FileAccess } from "./file-ops.ts";
import { fileTree, withoutFileTree } from "./file-tree.ts";
import { limits } from "./limits.ts";
import { portions } from "./portions.ts";
import { serializeConversation } from "./serialize.ts";

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const head = {
	role: "assistant",
	api: "test",
	provider: "test",
	model: "test",
	usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
	stopReason: "toolUse",
	timestamp: 0,
} as const;

function calls(...called: [id: string, name: string, path: string][]): Message {
	return {
		...head,
		content: called.map(([id, name, path]) => ({ type: "toolCall", id, name, arguments: { path } })),
	};
}

function result(toolCallId: string, text: string, isError = false): Message {
	return {
		role: "toolResult",
		toolCallId,
		toolName: "x",
		content: [{ type: "text", text }],
		isError,
		timestamp: 0,
	};
}

const access: FileAccess = ({ name, arguments: { path } }) => {
	const kind = name === "read" ? "read" : name === "write" ? "written" : "edited";
	return [{ kind, path: String(path) }];
};

describe("a conversation as text", () => {
	test("names the role of each part, with thinking, calls and results", () => {
		const text = serializeConversation([
			{
				role: "user",
				content: [
					{ type: "text", text: "Look" },
					{ type: "image", data: "AA", mimeType: "image/png" },
				],
				timestamp: 0,
			},
			{
				...head,
				content: [
					{ type: "thinking", thinking: "hm" },
					{ type: "text", text: "I read it." },
					{ type: "toolCall", id: "1", name: "read", arguments: { path: "a.ts", limit: 3 } },
					{ type: "toolCall", id: "2", name: "ls", arguments: {} },
				],
			},
			result("1", "content of a"),
			result("2", "no such directory", true),
		]);
		expect(text.split("\n\n")).toEqual([
			"[User]: Look\n[image]",
			"[Assistant thinking]: hm",
			"[Assistant]: I read it.",
			'[Assistant tool calls]: read(path="a.ts", limit=3); ls()',
			"[Tool result]: content of a",
			"[Tool error]: no such directory",
		]);
	});

	test("has the beginning and the end of a long result, and the number of characters left out", () => {
		const text = serializeConversation([result("1", `first${"x".repeat(100_000)}last`)]);
		expect(text.length).toBeLessThan(limits.toolResultChars + 100);
		expect(text).toMatch(/first[^]*\[… 98009 characters omitted …\][^]*last$/);
	});

	test("shortens long arguments", () => {
		const text = serializeConversation([
			{
				...head,
				content: [
					{ type: "toolCall", id: "1", name: "write", arguments: { path: "a", content: "x".repeat(9999) } },
				],
			},
		]);
		expect(text.length).toBeLessThan(limits.argumentChars + 200);
	});
});

describe("portions", () => {
	test("contain all of a conversation in order, none longer than the limit", () => {
		const marker = 50;
		fc.assert(
			fc.property(
				fc.array(fc.string({ minLength: 1, maxLength: 300, unit: "grapheme" }), { maxLength: 20 }),
				fc.integer({ min: 20, max: 200 }),
				(texts, tokens) => {
					const messages = texts.map((content): Message => ({ role: "user", content, timestamp: 0 }));
					const parts = portions(messages, tokens);
					for (const part of parts) {
						expect(part.length).toBeLessThanOrEqual(tokens * limits.charsPerToken + marker);
						expect(part.isWellFormed()).toBe(true);
					}
					const isWhole = texts.every((text) => text.length + 8 <= tokens * limits.charsPerToken);
					if (isWhole) expect(parts.join("\n\n")).toBe(serializeConversation(messages));
				},
			),
		);
	});
});

describe("files", () => {
	const messages = [
		calls(["1", "read", "src/a.ts"], ["2", "edit", "src/a.ts"], ["3", "read", "src/deep/b.ts"]),
		calls(["4", "write", "new.md"], ["5", "read", "missing.ts"]),
		result("5", "no such file", true),
	];

	test("are listed as read or changed; a call that failed touched nothing", () => {
		expect(fileLists(fileOperations(messages, access))).toEqual({
			readFiles: ["src/deep/b.ts"],
			modifiedFiles: ["new.md", "src/a.ts"],
		});
	});

	test("of an earlier summary are kept, and a file that was changed once stays listed as changed", () => {
		const earlier = { readFiles: ["old.ts", "new.md"], modifiedFiles: ["src/deep/b.ts"] };
		expect(fileLists(fileOperations(messages, access, earlier))).toEqual({
			readFiles: ["old.ts"],
			modifiedFiles: ["new.md", "src/a.ts", "src/deep/b.ts"],
		});
	});

	test("are grouped by directory, with what was done to them", () => {
		expect(fileTree(fileOperations(messages, access))).toBe(
			["<files>", "new.md (Write)", "# src/", "a.ts (RW)", "## deep/", "b.ts (Read)", "</files>"].join("\n"),
		);
	});

	test("are listed up to a limit, changed ones first", () => {
		const many = Array.from({ length: 50 }, (_, n): [string, string, string] => [`${n}`, "read", `r${n}.ts`]);
		const tree = fileTree(fileOperations([calls(...many, ["w", "write", "z.ts"])], access));
		expect(tree).toContain("z.ts (Write)");
		expect(tree).toContain("… (31 more files omitted)");
		expect(tree.split("\n")).toHaveLength(limits.listedFiles + 3);
	});

	test("give an empty list if no file was touched", () => {
		expect(fileTree(fileOperations([], access))).toBe("");
	});

	test("are removed from a summary, also in the formats of pi and omp", () => {
		const old = "Goal\n\n<read-files>\na\n</read-files>\n\n<modified-files>\nb\n</modified-files>";
		expect(withoutFileTree(old)).toBe("Goal");
		expect(withoutFileTree("Goal\n<files>\na (Read)\n</files>\nNext")).toBe("Goal\n\nNext");
		expect(withoutFileTree("mentions <files> only")).toBe("mentions <files> only");
	});

	test("in the details of another program's entry may have any shape", () => {
		expect(readFileLists({ readFiles: ["a", 1], modifiedFiles: "b" })).toEqual({
			readFiles: ["a"],
			modifiedFiles: [],
		});
		expect(readFileLists(null)).toBeUndefined();
	});
});

describe("a window", () => {
	const settings: WindowSettings = {
		reserveTokens: 16_384,
		keepRecentTokens: 20_000,
		thresholdPercent: -1,
		thresholdTokens: -1,
	};

	test("is full when the reserve, or 15 percent of a large one, is all that is left", () => {
		expect(windowBudget(100_000, settings).threshold).toBe(100_000 - 16_384);
		expect(windowBudget(200_000, settings).threshold).toBe(170_000);
		expect(windowBudget(200_000, { ...settings, thresholdPercent: 50 }).threshold).toBe(100_000);
		expect(
			windowBudget(200_000, { ...settings, thresholdPercent: 50, thresholdTokens: 9000 }).threshold,
		).toBe(9000);
		expect(windowBudget(200_000, { ...settings, thresholdTokens: 9e9 }).threshold).toBe(200_000);
		expect(windowBudget(0, settings).threshold).toBe(Number.POSITIVE_INFINITY);
	});

	test("however small, leaves room for the kept part, for a summary, and for the input of the summary", () => {
		fc.assert(
			fc.property(fc.integer({ min: 1000, max: 2_000_000 }), (window) => {
				const { threshold, keepTokens, summaryTokens, sourceTokens } = windowBudget(window, settings);
				expect(keepTokens + summaryTokens).toBeLessThan(window);
				expect(keepTokens).toBeLessThan(threshold);
				expect(sourceTokens + summaryTokens).toBeLessThan(window);
				expect(sourceTokens).toBeGreaterThan(window / 4);
			}),
		);
	});

	test("is measured by the provider's count, within bounds", () => {
		expect(correction(300, 200)).toBe(1.5);
		expect(correction(100, 200)).toBe(1);
		expect(correction(1e9, 1)).toBe(limits.correction);
		expect(correction(5, 0)).toBe(1);
	});
});
