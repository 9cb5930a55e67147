/** What a process exchanges while hooks are disabled: only files of the directory itself change. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { samples } from "../../../../test/support/depth.ts";
import { disarmedHooks } from "./disarm.ts";

/** By a process of its own, for as long as it runs. */
const exchange = `
	const { renameSync, symlinkSync, writeFileSync } = require("node:fs");
	for (;;) {
		writeFileSync("n", "", { mode: 0o755 });
		renameSync("n", "hooks/h");
		symlinkSync("../outside", "l");
		renameSync("l", "hooks/h");
	}`;

test("regression: while a hook is exchanged with a link, no file behind the link changes", async () => {
	const base = realpathSync(mkdtempSync(join(tmpdir(), "tau-exchanged-")));
	mkdirSync(join(base, "hooks"));
	const outside = join(base, "outside");
	writeFileSync(outside, "", { mode: 0o755 });
	const { mode } = statSync(outside);
	const exchanging = Bun.spawn([process.execPath, "-e", exchange], {
		cwd: base,
		stdio: ["ignore", "ignore", "ignore"],
	});
	try {
		let disabled = 0;
		let changed = 0;
		for (let round = 0; round < samples(300_000, 30_000); round++) {
			disabled += disarmedHooks(join(base, "hooks")).length;
			if (statSync(outside).mode !== mode) changed++;
		}
		expect(changed).toBe(0);
		expect(disabled).toBeGreaterThan(0);
	} finally {
		exchanging.kill("SIGKILL");
		await exchanging.exited;
		rmSync(base, { recursive: true, force: true });
	}
}, 60_000);
