/** `npm run build` creates one executable that needs nothing else. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { platformHere } from "../../scripts/release/platforms.ts";
import { isFullDepth } from "../support/depth.ts";
import { root } from "../support/launch.ts";

/** `npm test` has compiled it by the same script: once is enough by default. */
async function build(directory: string): Promise<void> {
	const compiled = process.env.TAU_TEST_PROGRAM;
	if (compiled !== undefined && !isFullDepth) return copyFileSync(compiled, join(directory, "tau"));
	const child = Bun.spawn([process.execPath, join(root, "scripts/compile.ts"), "--outdir", directory], {
		stdout: "ignore",
		stderr: "pipe",
	});
	expect(await child.stderr.text()).toBe("");
}

/** What docs/install.md says of it, for this platform if it does. */
function expectStatedSize(executable: string): void {
	if (platformHere()?.name !== "linux-x64") return;
	const page = readFileSync(join(root, "docs/install.md"), "utf8");
	const stated = Number(/^The executable for Linux x64 has (\d+) MB /m.exec(page)?.[1]);
	expect(Math.abs(statSync(executable).size / 1e6 / stated - 1)).toBeLessThan(0.03);
}

test("the executable answers in an empty directory, without the repository or Bun on the path", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-build-"));
	await build(directory);
	expectStatedSize(join(directory, "tau"));
	// Extensions get zod whole, which the executable loads at its first use.
	const extensions = join(directory, ".tau/agent/extensions");
	mkdirSync(extensions, { recursive: true });
	const checks = `Bun.write("checked", String(z.object({ a: z.string() }).safeParse({ a: "b" }).success))`;
	writeFileSync(
		join(extensions, "check.ts"),
		`export default async ({ zod: { z } }) => void (await ${checks});`,
	);
	const tau = Bun.spawn([join(directory, "tau"), "-p", "run echo it works"], {
		cwd: directory,
		env: { PATH: "/usr/bin:/bin", HOME: directory, OLLAMA_BASE_URL: "http://127.0.0.1:9" },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, err] = await Promise.all([tau.stdout.text(), tau.stderr.text()]);
	expect(err).toBe("");
	expect(out).toContain("it works");
	expect(readFileSync(join(directory, "checked"), "utf8")).toBe("true");
	rmSync(directory, { recursive: true });
}, 240_000);
