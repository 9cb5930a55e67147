/** omp's utility functions, as extensions import them. */
import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";

import { fileExports } from "./files.ts";
import { surroundingExports } from "./surroundings.ts";
import { waitingExports } from "./waiting.ts";
import { wordExports } from "./words.ts";

test("durations, numbers and sizes are formatted briefly", () => {
	const { formatDuration, formatNumber, formatBytes, formatCount, formatPercent, formatAge, truncate } =
		wordExports;
	expect([120, 3200, 65_000, 3_900_000, 90_000_000].map(formatDuration)).toEqual([
		"120ms",
		"3.2s",
		"1m 5s",
		"1h 5m",
		"1d 1h",
	]);
	expect([999, 1500, 2_000_000, 3_100_000_000].map(formatNumber)).toEqual(["999", "1.5K", "2M", "3.1B"]);
	expect([0, 512, 2048, 5 * 1024 ** 2].map(formatBytes)).toEqual(["0B", "512B", "2KB", "5MB"]);
	expect([formatCount("file", 1), formatCount("file", 2), formatPercent(0.255)]).toEqual([
		"1 file",
		"2 files",
		"25.5%",
	]);
	expect([formatAge(5), formatAge(7200), formatAge(null)]).toEqual(["just now", "2h ago", ""]);
	expect([truncate("abcdef", 4), truncate("abc", 4)]).toEqual(["abc…", "abc"]);
});

test("equal JSON is written identically, and other values are null", () => {
	const { stableStringifyJson, tryParseJson } = wordExports;
	fc.assert(
		fc.property(fc.dictionary(fc.string(), fc.integer()), (value) => {
			const turned = Object.fromEntries(Object.entries(value).toReversed());
			expect(stableStringifyJson(turned)).toBe(stableStringifyJson(value));
			expect(tryParseJson(stableStringifyJson(value))).toEqual({ ...value });
		}),
	);
	expect(tryParseJson("{")).toBeNull();
});

test("text is escaped for terminals and for XML, and versions are compared by number", () => {
	const { sanitizeText, escapeXmlAttribute, compareVersions, parseFrontmatter } = wordExports;
	expect(sanitizeText("a\u001B[2Jb")).toBe("ab");
	expect(escapeXmlAttribute(`<a b="c">&'`)).toBe("&lt;a b=&quot;c&quot;&gt;&amp;&apos;");
	expect([
		compareVersions("1.10.0", "1.9.9"),
		compareVersions("v2", "2.0.0"),
		compareVersions("1.2", "1.3-beta"),
	]).toEqual([1, 0, -1]);
	expect(parseFrontmatter("---\nname: x\n---\ntext")).toEqual({ frontmatter: { name: "x" }, body: "text" });
});

test("file errors are recognized by kind, and binary files by their bytes", async () => {
	const folder = mkdtempSync(join(tmpdir(), "tau-utils-"));
	try {
		const path = join(folder, "a");
		const failed = await Bun.file(path)
			.text()
			.catch((error: unknown) => error);
		expect([fileExports.isEnoent(failed), fileExports.isEacces(failed), fileExports.isFsError("x")]).toEqual([
			true,
			false,
			false,
		]);
		writeFileSync(path, "text");
		expect(await fileExports.isProbablyBinary(path)).toBe(false);
		writeFileSync(path, new Uint8Array([1, 0, 2]));
		expect(fileExports.isProbablyBinarySync(path)).toBe(true);
		expect([fileExports.pathIsWithin(folder, path), fileExports.pathIsWithin(folder, `${folder}x`)]).toEqual([
			true,
			false,
		]);
		expect([await fileExports.directoryExists(folder), await fileExports.directoryIsMissing(path)]).toEqual([
			true,
			true,
		]);
		expect(fileExports.isExecutable(path)).toBe(false);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});

test("a temporary directory exists until it is disposed of", async () => {
	let path = "";
	{
		await using made = await fileExports.TempDir.create("@tau-utils-");
		path = made.path();
		writeFileSync(made.join("a"), "");
		expect(existsSync(path)).toBe(true);
	}
	expect(existsSync(path)).toBe(false);
	const other = fileExports.TempDir.createSync();
	expect(String(other)).toBe(other.absolute());
	other.removeSync();
	expect(existsSync(other.path())).toBe(false);
});

test("a wait ends with its signal or its timeout, and serialized work runs in order", async () => {
	const { untilAborted, AbortError, withTimeout, Serial, once } = waitingExports;
	const never = new Promise<never>(() => {});
	const stop = new AbortController();
	const waiting = untilAborted(stop.signal, never);
	stop.abort();
	expect(waiting).rejects.toBeInstanceOf(AbortError);
	expect(withTimeout(never, 1, "too late")).rejects.toThrow("too late");
	expect(await untilAborted(undefined, async () => 1)).toBe(1);
	const [serial, order] = [new Serial(), new Array<number>()];
	const first = serial.run(async () => {
		await Promise.resolve();
		order.push(1);
		throw new Error("first");
	});
	await Promise.allSettled([first, serial.run(async () => void order.push(2))]);
	expect(order).toEqual([1, 2]);
	let made = 0;
	const make = once(() => ++made);
	expect([make(), make()]).toEqual([1, 1]);
});

test("streams are split into lines, whatever the chunks", async () => {
	const text = 'über\n{"a":1}\n\n{"b":2}';
	await fc.assert(
		fc.asyncProperty(fc.integer({ min: 1, max: 7 }), async (size) => {
			const bytes = new TextEncoder().encode(text);
			const stream = new ReadableStream<Uint8Array>({
				start(controller) {
					for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
					controller.close();
				},
			});
			const lines = await Array.fromAsync(waitingExports.readLines(stream), (line) =>
				new TextDecoder().decode(line),
			);
			expect(lines).toEqual(text.split("\n"));
		}),
	);
	const body = new Response(text.slice(text.indexOf("{"))).body;
	expect(body && (await Array.fromAsync(waitingExports.readJsonl(body)))).toEqual([{ a: 1 }, { b: 2 }]);
	let torn = 0;
	expect(waitingExports.parseJsonlLenient(text, { onMalformedRecord: () => torn++ })).toEqual([
		{ a: 1 },
		{ b: 2 },
	]);
	expect(torn).toBe(1);
});

test("variables, paths and programs are Tau's", () => {
	const { $env, $pickenv, $envpos, $flag, parseFlag, getAgentDir, getToolsDir, $which, logger } =
		surroundingExports;
	expect($env.PATH).toBe(process.env.PATH ?? "");
	expect(Object.keys($env)).toContain("PATH");
	expect([
		$pickenv("NO_SUCH_VARIABLE", "PATH"),
		$envpos("NO_SUCH_VARIABLE", 3),
		$flag("NO_SUCH_VARIABLE"),
	]).toEqual([process.env.PATH, 3, false]);
	expect([parseFlag("0"), parseFlag("off"), parseFlag("1"), parseFlag(undefined, true)]).toEqual([
		false,
		false,
		true,
		true,
	]);
	expect(getToolsDir()).toBe(join(getAgentDir(), "tools"));
	expect($which("sh")).toContain("sh");
	expect(logger.time("work", (one) => one, 2)).toBe(2);
	expect(logger.warn).toBeFunction();
});
