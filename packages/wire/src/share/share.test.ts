/** A share opens with its key alone, and a hostile, torn or newer one is refused with the reason. */
import { describe, expect, test } from "bun:test";
import { zstdCompressSync } from "node:zlib";

import {
	openShare,
	parseDocument,
	readShareLink,
	sealShare,
	shareLimits,
	type ShareDocument,
} from "./index.ts";

const document: ShareDocument = {
	format: "tau-share",
	version: 1,
	createdAt: "2026-11-17T10:00:00.000Z",
	program: "0.2.0",
	session: { id: "s-1", cwd: "~/shop", timestamp: "2026-11-17T09:00:00.000Z", name: "Fix the cart" },
	leafId: "b",
	entries: [
		{ type: "message", id: "a", parentId: null, timestamp: "t", message: { role: "user", content: "hi" } },
		{ type: "message", id: "b", parentId: "a", timestamp: "t", message: { role: "assistant", content: [] } },
	],
	agents: [],
	masked: 0,
};

const packed = (value: unknown): Uint8Array<ArrayBuffer> =>
	new Uint8Array(zstdCompressSync(typeof value === "string" ? value : JSON.stringify(value)));

async function refusal(value: unknown): Promise<string> {
	const { bytes, key } = await sealShare(packed(value));
	return await openShare(bytes, key).then(
		() => "opened",
		(error: Error) => error.message,
	);
}

test("a share opens with its key, and is what was sealed", async () => {
	const { bytes, key } = await sealShare(packed(document));
	expect(await openShare(bytes, key)).toEqual(document);
	expect(Buffer.from(bytes).toString("latin1")).not.toContain("cart");
	const again = await sealShare(packed(document));
	expect(again.key).not.toBe(key);
});

describe("what cannot be opened says why", () => {
	test("a wrong key, a changed byte, a missing end, another version", async () => {
		const { bytes, key } = await sealShare(packed(document));
		const other = (await sealShare(packed(document))).key;
		const reasonOf = async (from: Uint8Array<ArrayBuffer>, by: string): Promise<string> =>
			await openShare(from, by).then(
				() => "opened",
				(error: Error) => error.message,
			);
		expect(await reasonOf(bytes, other)).toContain("the key is wrong");
		expect(await reasonOf(bytes, "short")).toContain("no valid key");
		const changed = bytes.slice();
		changed[30] = (changed[30] ?? 0) ^ 1;
		expect(await reasonOf(changed, key)).toContain("was changed");
		expect(await reasonOf(bytes.slice(0, -5), key)).toContain("cut off");
		expect(await reasonOf(bytes.slice(0, 20), key)).toContain("its end is missing");
		const newer = bytes.slice();
		newer[4] = 9;
		expect(await reasonOf(newer, key)).toContain("newer version of Tau (9");
		expect(await reasonOf(new TextEncoder().encode("<html>") as Uint8Array<ArrayBuffer>, key)).toBe(
			"This is not a share of Tau.",
		);
	});

	test("a newer document, a torn one, and one that is no share", async () => {
		expect(await refusal({ ...document, version: 2 })).toContain("newer version of Tau (format 2");
		expect(await refusal(JSON.stringify(document).slice(0, -20))).toContain("damaged");
		expect(await refusal({ hello: 1 })).toBe("This is not a share of Tau.");
	});

	test("a bomb is refused before it has taken the memory", async () => {
		const bomb = new Uint8Array(zstdCompressSync(Buffer.alloc(shareLimits.documentBytes + 1_000_000)));
		expect(bomb.length).toBeLessThan(100_000);
		const { bytes, key } = await sealShare(bomb);
		expect(openShare(bytes, key)).rejects.toThrow("it unpacks to more than 256 MB");
	});

	test("ids that are paths, doubled ids, missing parents and wrong shapes", async () => {
		const [first, second] = document.entries;
		const withEntries = (entries: unknown): unknown => ({ ...document, entries });
		expect(await refusal(withEntries([{ ...first, id: "../../etc/passwd" }]))).toContain("Entry 1");
		expect(await refusal(withEntries([first, first]))).toContain("the id of another one");
		expect(await refusal(withEntries([second]))).toContain("has no parent");
		expect(await refusal(withEntries([42]))).toContain("not an entry");
		expect(await refusal(withEntries("x"))).toContain("no entries");
		expect(await refusal({ ...document, session: { id: "a/b" } })).toContain("names no session");
		expect(await refusal({ ...document, leafId: "\u001b]0;x\u0007" })).toContain("no valid end");
	});
});

test("what an extension would take for its own state is not opened; comments are", () => {
	const entry = {
		type: "custom",
		parentId: null,
		timestamp: "2026-11-17T10:00:00.000Z",
		data: { address: "ssh:evil" },
	};
	const entries = [
		{ ...entry, id: "s1", customType: "tau.machine" },
		{ ...entry, id: "s2", customType: "comment" },
	];
	const opened = parseDocument(JSON.stringify({ ...document, leafId: null, entries }));
	expect(opened.entries.map((each) => "data" in each)).toEqual([false, true]);
});

test("control characters of names are removed", () => {
	const hostile = { ...document, session: { ...document.session, name: "\u001b[31mred\u0007\u009b1m" } };
	expect(parseDocument(JSON.stringify(hostile)).session.name).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
});

describe("links", () => {
	const id = "abcdefghijklmnopqrstuv";

	test("a relay's, one with a message, and a gist's are read", () => {
		expect(readShareLink(`https://r.test/s/${id}#KEY`)).toEqual({
			from: { kind: "relay", raw: `https://r.test/s/${id}/raw` },
			key: "KEY",
		});
		expect(readShareLink(`http://localhost:7475/s/${id}#KEY&m=4f`)).toMatchObject({
			key: "KEY",
			entryId: "4f",
		});
		expect(readShareLink("https://gist.github.com/ann/0123456789abcdef0123#KEY").from).toEqual({
			kind: "gist",
			id: "0123456789abcdef0123",
		});
	});

	test.each([
		"hello",
		`http://r.test/s/${id}#KEY`,
		`https://r.test/x/${id}#KEY`,
		`https://r.test/s/${id}`,
		`file:///etc/passwd#KEY`,
	])("%s is refused", (link) => {
		expect(() => readShareLink(link)).toThrow(/link/);
	});
});
