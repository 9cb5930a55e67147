/** What one test file leaves behind is not in the next file of its process. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "./launch.ts";

test("regression: a key that one file registers is not masked in the texts of the next", () => {
	const folder = mkdtempSync(join(tmpdir(), "tau-preload-"));
	try {
		const utils = JSON.stringify(join(root, "packages/utils/src/index.ts"));
		const file = `import { expect, test } from "bun:test";
			import { maskSecrets, registerSecret } from ${utils};
			test("masks what it registers", () => {
				expect(maskSecrets("in session")).toBe("in session");
				registerSecret("session");
				expect(maskSecrets("in session")).not.toContain("session");
			});`;
		// More files than workers.
		for (const name of ["one", "two", "three"]) writeFileSync(join(folder, `${name}.test.ts`), file);
		const preload = `--preload=${join(root, "test/support/preload.ts")}`;
		const shared = ["--parallel=2", "--parallel-delay=0", "--no-isolate"];
		const { stderr } = Bun.spawnSync([process.execPath, "test", ...shared, preload, "./"], { cwd: folder });
		expect(stderr.toString()).toContain("\n 3 pass\n 0 fail\n");
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
