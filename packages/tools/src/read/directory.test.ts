/** A directory is shown as a tree that fits: important entries first, and omissions are noted. */
import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";

import { testToolEnv } from "../../../../test/support/tool-env.ts";
import { limits } from "./limits.ts";
import { readFixture } from "../../../../test/support/read-fixture.ts";

describe("a directory", () => {
	test("is a tree with sizes, links and folded paths", async () => {
		await using at = readFixture(await testToolEnv());
		at.put("README.md", "x".repeat(1536));
		at.put(".hidden", "");
		at.put("src/index.ts", "12345");
		at.put("src/java/com/example/Main.java", "x");
		at.put("src/java/com/example/Other.java", "x");
		mkdirSync(at.at("empty"));
		symlinkSync("src/index.ts", at.at("link"));
		const { text, details } = await at.read(".");
		expect(text).toBe(
			[
				".hidden  0 B",
				"README.md  1.5 KB",
				"empty/",
				"link -> src/index.ts",
				"src/",
				"  index.ts  5 B",
				"  java/com/example/",
				"    Main.java  1 B",
				"    Other.java  1 B",
			].join("\n"),
		);
		expect(details).toEqual({ entries: 5, ignored: 0, truncated: false });
	});

	test("leaves out ignored entries, and names them", async () => {
		await using at = readFixture(await testToolEnv());
		mkdirSync(at.at(".git"));
		at.put(".gitignore", "dist/\n*.log\n");
		at.put("dist/a.js", "");
		at.put("debug.log", "");
		at.put("src/deep.log", "");
		at.put("src/a.ts", "");
		expect((await at.read("")).isError).toBe(true);
		expect((await at.read(".")).text).toBe(
			".gitignore  12 B\nsrc/\n  a.ts  0 B\nNot shown: .git/ debug.log dist/",
		);
		// Asking for it by name includes it.
		expect((await at.read("dist")).text).toBe("a.js  0 B");
	});

	test("is as deep as fits, and folds long lists below the top", async () => {
		await using at = readFixture(await testToolEnv());
		at.put("a/b1/c/d/too-deep", "");
		at.put("a/b2", "");
		at.put("a/b1/x", "");
		for (let file = 0; file < limits.treeNames + 5; file++)
			at.put(`many/${String(file).padStart(3, "0")}`, "");
		const lines = (await at.read(".")).text.split("\n");
		expect(lines.slice(0, 5)).toEqual(["a/", "  b1/", "    c/", "    x  0 B", "  b2  0 B"]);
		expect(lines.slice(5)).toHaveLength(1 + limits.treeNames);
		expect(lines.at(-1)).toBe("  … 6 more");
	});

	test("with very many names is shown in parts", async () => {
		await using at = readFixture(await testToolEnv());
		const total = limits.treeRows + 5;
		for (let file = 0; file < total; file++) at.put(String(file).padStart(4, "0"), "");
		const first = (await at.read(".")).text.split("\n");
		expect(first).toHaveLength(limits.treeRows + 1);
		const next = limits.treeRows + 1;
		expect(first.at(-1)).toBe(`[names 1-${limits.treeRows} of ${total}; continue with offset ${next}]`);
		expect((await at.read(".", { offset: next })).text.split("\n")).toHaveLength(5);
		expect((await at.read(".", { offset: 2, limit: 2 })).text).toBe(
			`0001  0 B\n0002  0 B\n[names 2-3 of ${total}; continue with offset 4]`,
		);
		expect(await at.read(".", { offset: total + 1 })).toMatchObject({
			isError: true,
			text: `. has ${total} names; offset ${total + 1} is past its end.`,
		});
	});

	test("that is empty is reported as such", async () => {
		await using at = readFixture(await testToolEnv());
		mkdirSync(at.at("none"));
		expect((await at.read("none")).text).toBe("none is an empty directory.");
	});

	test("escapes names with a line break or a control character as the model has to write them", async () => {
		await using at = readFixture(await testToolEnv());
		for (const name of ["two\nlines", "red\x1b[31m", "tab\there", "plain name"]) at.put(`odd/${name}`, "");
		const names = (await at.read("odd")).text.split("\n").map((line) => line.replace(/ {2}0 B$/, ""));
		expect(names.toSorted()).toEqual(['"red\\u001b[31m"', '"tab\\there"', '"two\\nlines"', "plain name"]);
		for (const name of names.filter((shown) => shown.startsWith('"'))) {
			expect((await at.read(`odd/${JSON.parse(name)}`)).text).toEndWith(" is empty.");
		}
	});

	test("with unreadable entries is shown all the same", async () => {
		await using at = readFixture(await testToolEnv());
		at.put("closed/secret", "");
		at.put("open", "");
		chmodSync(at.at("closed"), 0);
		// Root may list everything.
		const inside = process.getuid?.() === 0 ? "  secret  0 B\n" : "";
		expect((await at.read(".")).text).toBe(`closed/\n${inside}open  0 B`);
		chmodSync(at.at("closed"), 0o700);
	});
});
