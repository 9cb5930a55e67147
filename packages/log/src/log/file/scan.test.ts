/** The index that is built from the first bytes of lines agrees with a parser, whatever the bytes. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { gcAndSweep } from "bun:jsc";
import { closeSync, fstatSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";

import { anyCharacter } from "../../../../../test/support/any-character.ts";
import { samples } from "../../../../../test/support/depth.ts";
import { quickHead } from "./line-head.ts";
import { scan } from "./scan.ts";
import { SessionManager } from "../session-manager.ts";
import { chain, entry, folder, header, said, type Folder } from "../testing/sample.ts";

let home: Folder;
beforeEach(() => {
	home = folder();
});
afterEach(() => home[Symbol.dispose]());

const body = fc.dictionary(
	fc.oneof(fc.string(), fc.constantFrom("parentId", "type", "id")).filter((key) => key !== "__proto__"),
	fc.jsonValue({ maxDepth: 3 }),
	{ maxKeys: 4 },
);

test("entries with any bodies are found at their offsets", () => {
	fc.assert(
		fc.property(fc.array(body, { minLength: 1, maxLength: 12 }), fc.boolean(), (bodies, hasNewline) => {
			const entries = bodies.map((data, index) =>
				entry(`e${index}`, index === 0 ? null : `e${index - 1}`, { type: "custom", data }),
			);
			const path = home.file([header, ...entries]);
			if (!hasNewline) writeFileSync(path, readFileSync(path, "utf8").trimEnd());
			using session = SessionManager.open(path);
			expect(session.getProblems()).toEqual([]);
			expect(session.getEntries()).toEqual(JSON.parse(JSON.stringify(entries)));
		}),
	);
});

test("the fast head reader agrees with the parser, or returns nothing", () => {
	const text = fc.string({ unit: anyCharacter, maxLength: 20 });
	fc.assert(
		fc.property(text, text, fc.option(text), text, (type, id, parentId, timestamp) => {
			const line = Buffer.from(JSON.stringify({ type, id, parentId, timestamp, more: 1 }));
			const head = quickHead(line, 0, line.length);
			if (head) expect(head).toEqual({ type, id, parentId, timestamp });
			else
				expect([type, id, parentId ?? "x", timestamp].some((word) => !/^[ !#-[\]-~]+$/.test(word))).toBe(
					true,
				);
		}),
	);
});

test("the index of an entry holds no part of the file but its head", () => {
	const count = 10_000;
	const text = "x".repeat(400);
	const entries = Array.from({ length: count }, (_, at) =>
		entry(`e${at}`, at === 0 ? null : `e${at - 1}`, { type: "custom", customType: "note", data: text }),
	);
	const file = openSync(home.file([header, ...entries]), "r");
	const { size } = fstatSync(file);
	scan(file, 0, size);
	const before = gcAndSweep();
	const { pieces } = scan(file, 0, size);
	const bytes = gcAndSweep() - before;
	closeSync(file);
	expect(pieces).toHaveLength(count + 1);
	// 200 bytes; with the text in which the head was searched, 500.
	expect(bytes / count).toBeLessThan(350);
});

test("a session with any bytes before, between and after its lines can be continued", () => {
	const lines = [...chain("a", "b", "c")].map((line) => Buffer.from(`${JSON.stringify(line)}\n`));
	const rubbish = fc.oneof(
		fc.uint8Array({ maxLength: 300 }),
		fc
			.constantFrom("\n", "\0\0\0", "{", "}", '"', lines[1]?.subarray(0, 100).toString() ?? "")
			.map((text) => Buffer.from(text)),
	);
	fc.assert(
		fc.property(fc.array(rubbish, { minLength: 5, maxLength: 5 }), (parts) => {
			const path = join(home.path, `${Bun.randomUUIDv7()}.jsonl`);
			writeFileSync(
				path,
				Buffer.concat(parts.flatMap((part, index) => [part, lines[index] ?? Buffer.alloc(0)])),
			);
			{
				using session = SessionManager.open(path);
				session.getEntries();
				session.appendMessage(said("after"));
				expect(session.getBranch().at(-1)).toMatchObject({ message: { content: "after" } });
			}
			using again = SessionManager.open(path);
			expect(again.getLeafEntry()).toMatchObject({ message: { content: "after" } });
			expect(again.getBranch()[0]?.parentId).toBe(null);
			again.getEntries();
			expect(again.getProblems().filter(({ kind }) => kind === "unrepaired" || kind === "torn")).toEqual([]);
		}),
		{ numRuns: samples(300) },
	);
});
