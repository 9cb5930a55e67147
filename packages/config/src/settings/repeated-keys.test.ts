/** A repeated key is suspected, similar text costs nothing, and neither do thousands of names. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { limits } from "./limits.ts";
import { readLayer, seemsRepeated } from "./read-layer.ts";

test.each([
	"a: 1\na: 2\n",
	"g:\n  a: 1\n  b: 2\n  a: 3\n",
	"a: 1\n'a': 2\n",
	'a: 1\r\n"a": 2\r\n',
	"a :\na: 1",
])("%j", (text) => {
	expect(seemsRepeated(text)).toBe(true);
});

test.each([
	"",
	"a: 1\nb: 2\n",
	"g:\n  a: 1\nh:\n  a: 1\n",
	"g:\n  h:\n    a: 1\n  i:\n    a: 1\n",
	"# a: 1\na: 1\n",
	"- a: 1\n- a: 1\n",
	"url: http://a:1\n",
])("%j is not suspected", (text) => {
	expect(seemsRepeated(text)).toBe(false);
});

test("a line without an end takes linear time", () => {
	expect(seemsRepeated(`${"a".repeat(500_000)}\n${" ".repeat(500_000)}`)).toBe(false);
});

test("an unknown group is reported on its own line, with the nearest name", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-names-"));
	try {
		const path = join(directory, "config.yml");
		writeFileSync(path, "followUpMode: all\nretri:\n  maxRetries: 3\n");
		const read = await readLayer({ path, layer: "global", isForeign: false });
		expect(read?.problems).toMatchObject([
			{ line: 2, field: "retri", message: "unknown setting. Did you mean retry?" },
		]);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});

test("a file with thousands of unknown names costs little, and the first ones are reported", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-names-"));
	try {
		const path = join(directory, "config.yml");
		const names = Array.from({ length: 10_000 }, (_, index) => `steeringMod${index}: all\n`);
		writeFileSync(path, `${names.join("")}followUpMode: all\nsteeringMod7: all\n`);
		const before = process.cpuUsage();
		const read = await readLayer({ path, layer: "global", isForeign: false });
		const { user } = process.cpuUsage(before);
		expect(read?.layer.values.get("followUpMode")).toBe("all");
		expect(read?.problems).toHaveLength(limits.problems);
		expect(read?.problems.slice(0, 2)).toMatchObject([
			{ line: 10_002, field: "steeringMod7", kind: "twice" },
			{ line: 1, field: "steeringMod0", message: "unknown setting. Did you mean steeringMode?" },
		]);
		// A third of a second; comparing every name with every setting alone takes three.
		expect(user).toBeLessThan(2_000_000);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});
