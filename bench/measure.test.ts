/** What is measured is the program, not the bench that starts it. */
import { expect, test } from "bun:test";
import { join } from "node:path";

const megabyte = 1024 * 1024;
/** In a process of its own: one that has run other tests keeps more than it needs. */
const script = `
import { measure } from ${JSON.stringify(join(import.meta.dir, "measure.ts"))};
let large = new Uint8Array(${150 * megabyte}).fill(1);
large = undefined;
const [nothing] = await measure([{ name: "nothing", command: ["sh", "-c", ":"] }], 1);
console.log(nothing.peakBytes);
`;

test("the peak memory of a program is not what the bench itself once had", () => {
	const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", script]);
	expect(stderr.toString()).toBe("");
	const peakBytes = Number(stdout.toString());
	expect(peakBytes).toBeGreaterThan(0);
	expect(peakBytes).toBeLessThan(150 * megabyte);
});
