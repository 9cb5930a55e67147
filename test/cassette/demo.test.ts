/** The recording that the tour plays: this program still reads it as it was written. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { launch, root } from "../support/launch.ts";

test("the demo of the docs replays as it was recorded, also several times in one run", async () => {
	await using tau = await launch({ steps: [] });
	const file = join(root, "docs/demo.cassette");
	const { code, out, err } = await tau.run(["replay", file, file]);
	expect({ code, err }).toEqual({ code: 0, err: "" });
	expect(out.match(/All four tests pass/g)).toHaveLength(2);
	expect(tau.played.requests).toHaveLength(0);
});
