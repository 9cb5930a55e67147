/** A read file can be edited: lines by tag, remembered states, merge conflicts by number. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";

import { testToolEnv, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { conflictsOf } from "../files/conflicts.ts";
import { fileTag } from "../files/hashline.ts";
import { snapshotsOf } from "../files/snapshots.ts";
import { limits } from "./limits.ts";
import { readFixture, type ReadFixture } from "../../../../test/support/read-fixture.ts";

async function hashlineFixture(): Promise<ReadFixture<TestToolEnv>> {
	return readFixture(await testToolEnv({ env: { TAU_EDIT_VARIANT: "hashline" } }));
}

describe("by tag and line", () => {
	test("a file shows its tag above and its lines by number", async () => {
		await using at = await hashlineFixture();
		at.put("src/a.ts", "one\r\n\ttwo\r\n\r\n");
		const tag = fileTag("one\r\n\ttwo\r\n\r\n");
		const { text, details } = await at.read("src/a.ts");
		expect(text).toBe(`[src/a.ts#${tag}]\n1:one\n2:\ttwo\n3:`);
		expect(details).toMatchObject({ tag, path: at.at("src/a.ts") });
	});

	test("a file with only carriage returns has the lines that `edit` counts", async () => {
		await using at = await hashlineFixture();
		at.put("a.txt", "one\rtwo\r");
		expect((await at.read("a.txt")).text).toBe(`[a.txt#${fileTag("one\rtwo\r")}]\n1:one\n2:two`);
	});

	test("a part has the tag of the whole file, without the range in its name", async () => {
		await using at = await hashlineFixture();
		at.put("a.ts", "one\ntwo\nthree\n");
		expect((await at.read("a.ts:2-2")).text).toBe(
			`[a.ts#${fileTag("one\ntwo\nthree\n")}]\n2:two\n[lines 2-2 of 3; continue with offset 3]`,
		);
	});

	test("a file that cannot be edited has no tag", async () => {
		await using at = await hashlineFixture();
		at.put("broken", new Uint8Array([0x61, 0xff, 0x0a]));
		at.put("large", "x\n".repeat(limits.wholeBytes / 2 + 1));
		expect((await at.read("broken")).text).toStartWith("     1  a\ufffd\n[not valid UTF-8");
		expect((await at.read("large:1-1")).text).toStartWith("     1  x\n[lines 1-1 of ");
		expect(snapshotsOf(at.env).latest(at.at("broken"))).toBeUndefined();
	});
});

test("in every edit mode, the read state is remembered", async () => {
	await using at = readFixture(await testToolEnv());
	at.put("a.txt", "\ufeffone\n");
	await at.read("a.txt:1-1");
	expect(snapshotsOf(at.env).latest(at.at("a.txt"))).toMatchObject({ text: "one\n" });
	writeFileSync(at.at("a.txt"), "two\n");
	await at.read("a.txt");
	expect(snapshotsOf(at.env).latest(at.at("a.txt"))).toMatchObject({ text: "two\n" });
	at.put("a.ipynb", '{"cells":[]}');
	await at.read("a.ipynb");
	expect(snapshotsOf(at.env).latest(at.at("a.ipynb"))).toMatchObject({ text: '{"cells":[]}' });
});

describe("a merge conflict", () => {
	const conflict = "<<<<<<< HEAD\nours\n||||||| base\nold\n=======\ntheirs\n>>>>>>> branch\n";

	test("gets a number to write to, and can be read by it, both sides or one", async () => {
		await using at = readFixture(await testToolEnv());
		at.put("a.txt", `before\n${conflict}between\n${conflict.replace("ours", "mine")}`);
		const { text } = await at.read("a.txt");
		expect(text).toEndWith(
			"\n[merge conflicts: conflict://1 (line 2), conflict://2 (line 10); write to one to resolve it]",
		);
		expect(conflictsOf(at.env).all()).toHaveLength(2);
		expect((await at.read("conflict://2/ours")).text).toBe("     1  mine");
		expect((await at.read("conflict://1/base")).text).toBe("     1  old");
		expect((await at.read("conflict://1")).text).toContain("     6  theirs");
		for (const side of ["none", "constructor", "../2"])
			expect((await at.read(`conflict://1/${side}`)).text).toStartWith("A conflict has the sides");
		expect(await at.read("conflict://9")).toMatchObject({
			isError: true,
			text: "There is no conflict 9. Known: 1, 2.",
		});
	});

	test("that is resolved has no number any more", async () => {
		await using at = readFixture(await testToolEnv());
		at.put("a.txt", conflict);
		await at.read("a.txt");
		writeFileSync(at.at("a.txt"), "resolved\n");
		expect((await at.read("a.txt")).text).toBe("     1  resolved");
		expect(conflictsOf(at.env).all()).toEqual([]);
	});
});
