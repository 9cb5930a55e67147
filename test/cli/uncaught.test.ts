/** A failure at the very end is reported in one line too. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { launch, root } from "../support/launch.ts";

test("a help text that cannot be written is reported in one line", async () => {
	await using tau = await launch({ steps: [] });
	const command = ["bash", "-c", `"$0" --help > /dev/full`, join(root, "tau")];
	const help = Bun.spawn(command, { env: tau.env, stderr: "pipe" });
	expect(await help.stderr.text()).toMatch(/^tau: unexpected failure: ENOSPC.*\n$/);
	expect(await help.exited).toBe(1);
});
