/** What a page loads of the protocol is small, and needs nothing of the machine. */
import { expect, test } from "bun:test";
import { join } from "node:path";

test("a client of a session is bundled for browsers without schemas and without modules of Node's", async () => {
	const built = await Bun.build({
		entrypoints: [join(import.meta.dir, "remote.ts")],
		target: "browser",
		minify: true,
		metafile: true,
	});
	const inputs = Object.keys(built.metafile?.inputs ?? {});
	expect(inputs.some((file) => file.endsWith("remote-session.ts"))).toBe(true);
	expect(inputs.filter((file) => /zod|node:|polyfill/.test(file))).toEqual([]);
	const code = (await built.outputs[0]?.text()) ?? "";
	expect(code).not.toMatch(/\bBun\.|node:|\bprocess\./);
	// 25 KB without compression: a page has more to load than this.
	expect(code.length).toBeLessThan(25_000);
});
