/** A test whose program is missing is skipped with the reason; with the program it runs. */
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

async function runTests(source: string): Promise<{ code: number; said: string }> {
	const folder = await mkdtemp(join(tmpdir(), "tau-needs-"));
	try {
		await Bun.write(join(folder, "a.test.ts"), source);
		await using child = Bun.spawn([process.execPath, "test", "./a.test.ts"], {
			cwd: folder,
			stdout: "ignore",
			stderr: "pipe",
			timeout: 30_000,
		});
		const said = await Bun.readableStreamToText(child.stderr);
		return { code: await child.exited, said };
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

const helper = JSON.stringify(join(import.meta.dir, "needs.ts"));

test("a missing program skips the test and is in its name", async () => {
	const source = `import { needs } from ${helper};\nneeds("sh", "tau-none")("it works", () => { throw new Error("ran"); });`;
	const { code, said } = await runTests(source);
	expect(said).toContain("it works (needs tau-none)");
	expect(said).toContain("1 skip");
	expect(code).toBe(0);
});

test("with its program on PATH the test runs, and can fail", async () => {
	const source = `import { needs } from ${helper};\nneeds("sh")("it works", () => { throw new Error("ran"); });`;
	const { code, said } = await runTests(source);
	expect(said).toContain("1 fail");
	expect(code).toBe(1);
});

test("a version that is too old skips the test as well", async () => {
	const source = `import { needs } from ${helper};
		needs("bash>=3")("with an old bash", () => {});
		needs("bash>=999")("with a new bash", () => { throw new Error("ran"); });`;
	const { code, said } = await runTests(source);
	expect(said).toContain("with a new bash (needs bash>=999)");
	expect(said).toContain("1 pass");
	expect(said).toContain("1 skip");
	expect(code).toBe(0);
});

test("rows are skipped one by one, and run with the program", async () => {
	const source = `import { needs } from ${helper};
		const test = needs("sh", "tau-none");
		test.each([["a", 1], ["b", 2]])("%s is %d", () => { throw new Error("ran"); });
		needs("sh").each([["c", 3]])("%s is %d", () => {});`;
	const { code, said } = await runTests(source);
	for (const name of ["a is 1 (needs tau-none)", "b is 2 (needs tau-none)"]) expect(said).toContain(name);
	expect(said).toContain("2 skip");
	expect(said).toContain("1 pass");
	expect(code).toBe(0);
});

test("abilities are asked for by name: of root and an ordinary user one is there", async () => {
	const source = `import { needs } from ${helper};
		needs("root")("as root", () => {});
		needs("an ordinary user")("as a user", () => {});
		needs("overlay")("with an overlay", () => {});`;
	const { code, said } = await runTests(source);
	expect(said).toMatch(/as root \(needs root\)|as a user \(needs an ordinary user\)/);
	expect(code).toBe(0);
});
