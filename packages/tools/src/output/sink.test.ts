/** A model sees the important part of any output, and learns where the rest is. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { ArtifactDirectory } from "@tau/session/artifacts";

import { samples } from "../../../../test/support/depth.ts";
import { limits } from "./limits.ts";
import { OutputSink, type SinkOptions } from "./sink.ts";

let home = "";
let artifacts: ArtifactDirectory;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-sink-"));
	artifacts = new ArtifactDirectory(() => join(home, "artifacts"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function sinkOf(output: string | Uint8Array, options: Partial<SinkOptions> = {}): OutputSink {
	const sink = new OutputSink({ tool: "bash", ...options });
	sink.push(Buffer.from(output));
	return sink;
}

const numbered = (count: number): string =>
	Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("");

describe("a short output", () => {
	const shown: [what: string, output: string, text: string][] = [
		["is shown unchanged", "one\n\ntwo\n", "one\n\ntwo"],
		["may be nothing", "", ""],
		["may end without a newline", "a\nb", "a\nb"],
		["loses terminal sequences", "\x1b[31mred\x1b[0m\x07 \x1b]0;t\x07ok\n", "red ok"],
		["loses NULs", "a\0b", "ab"],
		["has Windows line ends", "a\r\nb\r\n", "a\nb"],
		["keeps of a progress bar its last state", "10%\r55%\r100%\r\ndone\n", "100%\ndone"],
		["keeps the last state of a line, also before a return", "old\rnew\r", "new"],
	];
	test.each(shown)("%s", (_what, output, text) => {
		using sink = sinkOf(output, { artifacts });
		expect(sink.summary()).toMatchObject({ text, truncated: false, totalBytes: Buffer.byteLength(output) });
		expect(artifacts.find("0")).toBeUndefined();
	});

	test("marks bytes that are not text", () => {
		using sink = sinkOf(new Uint8Array([0x61, 0xff, 0x62]));
		expect(sink.summary().text).toBe("a\ufffdb");
	});
});

describe("a long output", () => {
	test("shows its start and its end, counts, and is complete in an artifact", () => {
		const output = numbered(100_000);
		using sink = sinkOf(output, { artifacts });
		const { text, ...facts } = sink.summary();
		expect(facts).toMatchObject({
			totalBytes: 588_895,
			totalLines: 100_000,
			truncated: true,
			artifactId: "0",
		});
		expect(facts.outputLines).toBe(text.split("\n").length - 1);
		expect(text).toStartWith("1\n2\n3\n");
		expect(text).toEndWith("\n99999\n100000");
		const [, from, to] =
			/\[lines (\d+)-(\d+) of 100000 omitted: read artifact:\/\/0 with offset and limit\]/.exec(text) ?? [];
		expect(text).toContain(`\n${Number(from) - 1}\n[`);
		expect(text).toContain(`]\n${Number(to) + 1}\n`);
		expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.headBytes + limits.tailBytes + 100);
		expect(readFileSync(artifacts.find("0") ?? "", "utf8")).toBe(output);
	});

	test("is stored unchanged in the artifact, including control sequences and broken bytes", () => {
		const output = Buffer.concat([
			Buffer.from("\x1b[31mred\r\n"),
			Buffer.alloc(300_000, 0xff),
			Buffer.from("\n"),
		]);
		using sink = sinkOf(output, { artifacts });
		expect(sink.summary().artifactId).toBe("0");
		expect(readFileSync(artifacts.find("0") ?? "").equals(output)).toBe(true);
	});

	test("that fits into memory but not into the result is in an artifact as well", () => {
		const output = numbered(15_000);
		using sink = sinkOf(output, { artifacts });
		expect(sink.summary()).toMatchObject({ truncated: true, artifactId: "0" });
		expect(readFileSync(artifacts.find("0") ?? "", "utf8")).toBe(output);
	});

	test("of which only the last state is visible is not long", () => {
		using sink = sinkOf(`start\n${"working\r".repeat(10_000)}\ndone\n`, { artifacts });
		expect(sink.summary()).toMatchObject({ text: "start\nworking\ndone", truncated: false });
	});

	test("is shown without a reference if no artifact can be written", () => {
		using alone = sinkOf(numbered(100_000));
		expect(alone.summary().text).toMatch(/\n\[lines \d+-\d+ of 100000 omitted\]\n/);
		writeFileSync(join(home, "artifacts"), "a file where the directory should be");
		using refused = sinkOf(numbered(100_000), { artifacts });
		expect(refused.summary()).not.toHaveProperty("artifactId");
	});

	test("without end uses limited disk space, and the model learns what is missing", () => {
		let written = 0;
		const counting = {
			open: () => ({
				id: "7",
				path: "",
				lost: 0,
				write: (chunk: Uint8Array) => void (written += chunk.length),
				[Symbol.dispose]: () => {},
			}),
			find: () => undefined,
		};
		using sink = new OutputSink({ tool: "bash", artifacts: counting });
		const chunk = Buffer.alloc(1024 * 1024, `${"y".repeat(1023)}\n`);
		const rounds = limits.artifactBytes / chunk.length + 3;
		for (let round = 0; round < rounds; round++) sink.push(chunk);
		expect(written).toBe(limits.artifactBytes);
		expect(sink.summary().text).toContain(
			`read artifact://7 with offset and limit, without the last ${3 * chunk.length} bytes]`,
		);
	});
});

describe("a long line", () => {
	test("is cut, and the artifact has its end", () => {
		using sink = sinkOf(`${"x".repeat(5000)}\nok\n`, { artifacts });
		const { text, truncated } = sink.summary();
		expect(truncated).toBe(true);
		expect(text).toBe(
			`${"x".repeat(2000)}… [3000 more characters]\nok\n[parts of long lines are omitted: read artifact://0 with offset and limit]`,
		);
	});

	test("is not cut inside a character", () => {
		using sink = sinkOf(`${"x".repeat(1999)}😀😀\n`);
		expect(sink.summary().text).toStartWith(`${"x".repeat(1999)}… [4 more characters]`);
	});
});

describe("new output since the last look", () => {
	test("has the new lines, including an unfinished one, again when it has grown", () => {
		using sink = sinkOf("one\ntwo\nthr");
		const first = sink.since(0);
		expect(first).toEqual({ text: "one\ntwo\nthr", lines: 2 });
		sink.push(Buffer.from("ee\nfour\n"));
		const second = sink.since(first.lines);
		expect(second).toEqual({ text: "three\nfour", lines: 4 });
		expect(sink.since(second.lines)).toEqual({ text: "", lines: 4 });
	});

	test("has the last lines if there are too many", () => {
		using sink = sinkOf(numbered(10), { artifacts });
		const { lines } = sink.since(0);
		sink.push(Buffer.from(numbered(100_000)));
		const { text } = sink.since(lines);
		expect(text).toMatch(/^\[lines 11-\d+ of 100010 omitted: read artifact:\/\/0/);
		expect(text).toEndWith("\n100000");
	});
});

describe("property: for every output", () => {
	const piece = fc.constantFrom(
		"a",
		"bc",
		"ü",
		"😀",
		"\n",
		"\n",
		"\r",
		"\r\n",
		"\x1b[31m",
		"\x1b]0;title\x07",
		"\u009b1m",
		"\x1b",
		"\0",
		" ",
		"long ".repeat(4),
	);
	const output = fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join("")));
	const bounds = fc.record({
		headBytes: fc.integer({ min: 0, max: 40 }),
		tailBytes: fc.integer({ min: 1, max: 60 }),
		windowBytes: fc.integer({ min: 60, max: 120 }),
	});

	test("chunking and looking at it meanwhile change nothing", () => {
		const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 });
		fc.assert(
			fc.property(output, bounds, cuts, (bytes, limited, sizes) => {
				using whole = sinkOf(bytes, limited);
				using pieces = new OutputSink({ tool: "bash", ...limited });
				for (let at = 0, turn = 0; at < bytes.length; turn++) {
					const size = sizes[turn % sizes.length] ?? 1;
					pieces.push(bytes.subarray(at, at + size));
					pieces.live();
					at += size;
				}
				expect(pieces.summary()).toEqual(whole.summary());
			}),
			{ numRuns: samples(500) },
		);
	});

	test("the shown text is the start and the end of the whole, within the limits", () => {
		fc.assert(
			fc.property(output, bounds, (bytes, limited) => {
				using sink = sinkOf(bytes, limited);
				using unbounded = sinkOf(bytes);
				const { text, truncated, totalLines } = sink.summary();
				const whole = unbounded.summary().text;
				if (!truncated) return void expect(text).toBe(whole);
				const note = new RegExp(
					`(?:^|\\n)\\[(?:lines? [\\d-]+ of ${totalLines}|parts of long lines are) omitted\\](?:\\n|$)`,
				).exec(text);
				const [start, end] = note
					? [text.slice(0, note.index), text.slice(note.index + note[0].length)]
					: ["", text];
				// The last line is kept completely, and the first of the end may be cut where the window starts.
				expect(whole.endsWith(end)).toBe(true);
				// Empty lines at the end of the whole are not shown of it.
				expect(whole.startsWith(start.trimEnd())).toBe(true);
				expect(Buffer.byteLength(start)).toBeLessThanOrEqual(limited.headBytes);
				if (end.includes("\n")) expect(Buffer.byteLength(end)).toBeLessThanOrEqual(limited.tailBytes);
			}),
			{
				numRuns: samples(500),
				// regression: the window started inside the sequence, and the rest of it was shown.
				examples: [
					[Buffer.from(`\x1b[31m${"long ".repeat(12)}`), { headBytes: 0, tailBytes: 1, windowBytes: 61 }],
				],
			},
		);
	});
});
