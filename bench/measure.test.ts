import { expect, test } from "bun:test";

import { measure } from "./measure.ts";

const megabyte = 1024 * 1024;

test("the peak memory of a program is not what the bench itself once had", async () => {
	let large: Uint8Array | undefined = new Uint8Array(150 * megabyte).fill(1);
	const bytes = large.length;
	large = undefined;
	const [nothing] = await measure([{ name: "nothing", command: ["sh", "-c", ":"] }], 1);
	expect(nothing?.peakBytes).toBeLessThan(bytes);
});
