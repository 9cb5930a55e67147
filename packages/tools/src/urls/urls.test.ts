/** URLs of the session resolve to its own resources, and an unknown one lists what exists. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

import { testToolEnv, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { limits as readLimits } from "../read/limits.ts";
import { readFixture, type ReadFixture } from "../../../../test/support/read-fixture.ts";
import { registerUrlScheme, type Resource, type UrlHandler } from "./index.ts";

function keep(at: ReadFixture<TestToolEnv>, text: string): string {
	using artifact = at.env.artifacts.open("bash");
	artifact.write(Buffer.from(text));
	return artifact.path;
}

describe("artifact://", () => {
	test("shows the full text of a long output, in parts", async () => {
		await using at = readFixture(await testToolEnv({ env: { TAU_EDIT_VARIANT: "hashline" } }));
		keep(at, "one\ntwo\nthree\n");
		keep(at, "other\n");
		expect((await at.read("artifact://0")).text).toBe("     1  one\n     2  two\n     3  three");
		expect((await at.read("artifact://0", { offset: 2, limit: 1 })).text).toBe(
			"     2  two\n[lines 2-2 of 3; continue with offset 3]",
		);
		expect((await at.read("artifact://0:2-2")).text).toContain("     2  two\n[lines 2-2");
		expect((await at.read("ARTIFACT://1/")).text).toBe("     1  other");
	});

	test("removes the colors of an output", async () => {
		await using at = readFixture(await testToolEnv());
		keep(at, "\x1b[31mred\x1b[0m\n");
		expect((await at.read("artifact://0")).text).toBe("     1  red");
	});

	test("shows one that is too large for memory", async () => {
		await using at = readFixture(await testToolEnv());
		const lines = readLimits.wholeBytes / 8 + 10;
		keep(at, "1234567\n".repeat(lines));
		expect((await at.read("artifact://0", { offset: lines })).text).toBe(`${lines}  1234567`);
	});

	test("that does not exist lists the existing ones", async () => {
		await using at = readFixture(await testToolEnv());
		expect((await at.read("artifact://3")).text).toBe("There is no artifact 3. None exist yet.");
		keep(at, "");
		keep(at, "");
		const wrong: [url: string, message: string][] = [
			["artifact://3", "There is no artifact 3. Available: 0, 1."],
			["artifact://", "An artifact is addressed by number: artifact://0, not ."],
			["artifact://../0", "An artifact is addressed by number: artifact://0, not ../0."],
		];
		for (const [url, message] of wrong)
			expect(await at.read(url)).toMatchObject({ isError: true, text: message });
	});
});

describe("local://", () => {
	test("shows files of the session, and lists them", async () => {
		await using at = readFixture(await testToolEnv());
		expect(await at.read("local://")).toMatchObject({
			isError: true,
			text: "The session has no files of its own yet.",
		});
		const directory = dirname(keep(at, "output"));
		mkdirSync(join(directory, "notes"));
		writeFileSync(join(directory, "notes/plan.md"), "# Plan\n");
		expect((await at.read("local://notes/plan.md")).text).toBe("     1  # Plan");
		expect((await at.read("local://notes/plan.md:1-1")).text).toBe("     1  # Plan");
		expect((await at.read("local://")).text).toBe("0.bash.log  6 B\nnotes/\n  plan.md  7 B");
	});

	test("does not lead out, neither by its path nor by a link", async () => {
		await using at = readFixture(await testToolEnv());
		at.put("secret", "secret");
		const directory = dirname(keep(at, "output"));
		symlinkSync(at.at("secret"), join(directory, "link"));
		for (const path of ["link", "../work/secret", "/../work/secret"]) {
			expect(await at.read(`local://${path}`)).toMatchObject({
				isError: true,
				text: `local://${path} points outside the session's directory.`,
			});
		}
		expect((await at.read("local://gone")).text).toBe(
			"local://gone does not exist. Read local:// for a list.",
		);
	});
});

describe("a scheme", () => {
	const skills: UrlHandler = {
		form: "<name>",
		about: "skills",
		resolve: (rest): Resource =>
			rest === "git" ? { ok: true, text: "Use git.\n" } : { ok: false, reason: `There is no skill ${rest}.` },
	};

	test("is available once its owner has registered it, for this session only", async () => {
		await using at = readFixture(await testToolEnv());
		await using other = readFixture(await testToolEnv());
		const none = "skill:// is not available here. Known: artifact://<id> (the full text of a long output), ";
		expect((await at.read("skill://git")).text).toStartWith(none);
		{
			using _skills = registerUrlScheme(at.env, "skill", skills);
			expect((await at.read("skill://git")).text).toBe("     1  Use git.");
			expect(await at.read("skill://svn")).toMatchObject({ isError: true, text: "There is no skill svn." });
			expect((await at.read("nothing://")).text).toContain("skill://<name> (skills)");
			expect((await other.read("skill://git")).text).toStartWith(none);
		}
		expect((await at.read("skill://git")).text).toStartWith(none);
	});

	test("that is unknown is reported with suggestions", async () => {
		await using at = readFixture(await testToolEnv());
		const { text, isError } = await at.read("artefact://0");
		expect(isError).toBe(true);
		expect(text).toStartWith("Unknown scheme artefact://. Did you mean artifact://? Known: ");
		expect(text).toContain("https://");
		expect(() => registerUrlScheme(at.env, "No Scheme", skills)).toThrow("No Scheme");
	});

	test("file:// is a path", async () => {
		await using at = readFixture(await testToolEnv());
		const path = at.put("a b.txt", "text\n");
		expect((await at.read(pathToFileURL(path).href)).text).toBe("     1  text");
		expect((await at.read("file://elsewhere/a")).isError).toBe(true);
	});
});
