/** The helpers that extensions import from pi's packages work as pi's documentation says. */
import { describe, expect, test } from "bun:test";

import fc from "fast-check";

import { AssistantMessageEventStream, EventStream } from "./support/event-stream.ts";
import { parseFrontmatter, stripFrontmatter } from "./support/frontmatter.ts";
import {
	DEFAULT_MAX_BYTES,
	DEFAULT_MAX_LINES,
	formatSize,
	truncateHead,
	truncateLine,
	truncateTail,
} from "./support/truncate.ts";

describe("truncation", () => {
	test("a line feed at the end is not another line", () => {
		expect(truncateHead("a\nb\n", { maxLines: 2 })).toMatchObject({
			content: "a\nb\n",
			truncated: false,
			totalLines: 2,
		});
		expect(truncateTail("a\nb\n", { maxLines: 1 })).toMatchObject({
			content: "b\n",
			totalLines: 2,
			outputLines: 1,
		});
	});

	test("keeps whole lines from the start or the end, and reports what was cut", () => {
		const text = ["a", "b", "c", "d"].join("\n");
		expect(truncateHead(text, { maxLines: 2 })).toMatchObject({
			content: "a\nb",
			truncated: true,
			truncatedBy: "lines",
			totalLines: 4,
			outputLines: 2,
		});
		expect(truncateTail(text, { maxBytes: 3 })).toMatchObject({
			content: "c\nd",
			truncatedBy: "bytes",
			outputBytes: 3,
		});
		expect(truncateHead(text)).toMatchObject({ content: text, truncated: false, truncatedBy: null });
	});

	test("of a single line that is too long: nothing from the start, its end from the end", () => {
		expect(truncateHead("x".repeat(10), { maxBytes: 5 })).toMatchObject({
			content: "",
			firstLineExceedsLimit: true,
		});
		expect(truncateTail("äöü", { maxBytes: 3 })).toMatchObject({ content: "ü", lastLinePartial: true });
	});

	test("property: never exceeds its limits, and returns only parts of the text", () => {
		const options = fc.record({
			maxLines: fc.integer({ min: 1, max: 5 }),
			maxBytes: fc.integer({ min: 1, max: 40 }),
		});
		fc.assert(
			fc.property(
				fc.array(fc.string({ unit: "grapheme", maxLength: 12 })),
				options,
				(lines, { maxLines, maxBytes }) => {
					const text = lines.join("\n");
					for (const [cut, isPart] of [
						[truncateHead, text.startsWith.bind(text)],
						[truncateTail, text.endsWith.bind(text)],
					] as const) {
						const { content, truncated } = cut(text, { maxLines, maxBytes });
						expect(Buffer.byteLength(content)).toBeLessThanOrEqual(maxBytes);
						expect(content.replace(/\n$/, "").split("\n").length).toBeLessThanOrEqual(maxLines);
						expect(isPart(content)).toBe(true);
						expect(truncated).toBe(content !== text);
					}
				},
			),
		);
	});

	test("has pi's limits and messages", () => {
		expect([DEFAULT_MAX_LINES, DEFAULT_MAX_BYTES]).toEqual([2000, 51_200]);
		expect([500, 31_744, 1_572_864].map(formatSize)).toEqual(["500B", "31.0KB", "1.5MB"]);
		expect(truncateLine("abcdef", 3)).toEqual({ text: "abc... [truncated]", wasTruncated: true });
		expect(truncateLine("abc", 3)).toEqual({ text: "abc", wasTruncated: false });
	});
});

describe("the frontmatter of a Markdown file", () => {
	test("is parsed and removed", () => {
		const text = "---\nname: x\ntags: [a, b]\n---\n# Title\n";
		expect(parseFrontmatter(text)).toEqual({
			frontmatter: { name: "x", tags: ["a", "b"] },
			body: "# Title\n",
		});
		expect(stripFrontmatter(text)).toBe("# Title\n");
	});

	test.each(["# Title\n", "--- \nno", "---\n: [\n---\nrest", ""])(
		"%p has none, and nothing is lost",
		(text) => {
			expect(parseFrontmatter(text)).toEqual({ frontmatter: {}, body: text });
		},
	);
});

describe("a stream that an extension fills", () => {
	test("ends with its final event, and returns its result", async () => {
		const stream = new EventStream<number, string>(
			(event) => event < 0,
			(event) => `ended by ${event}`,
		);
		for (const event of [1, 2, -1, 3]) stream.push(event);
		const read: number[] = [];
		for await (const event of stream) read.push(event);
		expect(read).toEqual([1, 2, -1]);
		expect(await stream.result()).toBe("ended by -1");
	});

	test("of an answer ends with done or error", async () => {
		const message = { role: "assistant", content: [], stopReason: "stop" } as never;
		const stream = new AssistantMessageEventStream();
		stream.push({ type: "start", partial: message });
		stream.push({ type: "done", reason: "stop", message });
		expect(await stream.result()).toBe(message);
	});
});
