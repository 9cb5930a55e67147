/** A user writes ports as numbers, as addresses of the machine, or one word for all. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";

import { Settings } from "./index.ts";

let base = "";
beforeAll(() => {
	base = mkdtempSync(join(tmpdir(), "tau-ports-"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function load(value: string): Promise<Settings> {
	const file = join(base, "own.yml");
	writeFileSync(file, `sandbox:\n  network:\n    local: ${value}\n`);
	return await Settings.load({ cwd: base, agentDir: join(base, "agent"), overlays: [file] });
}

test.each([
	["deny", ["deny"]],
	["5432", ["5432"]],
	["[5432, localhost:6379, 127.0.0.1:80]", ["5432", "localhost:6379", "127.0.0.1:80"]],
])("%s", async (value, ports) => {
	const settings = await load(value);
	expect(settings.get("sandbox.network.local")).toEqual(ports);
	expect(settings.problems).toEqual([]);
});

test.each([
	["[db.example:5432, 80]", ["80"], "must be a port of this machine, or allow, ask or deny"],
	["[yes please]", [], "must be a port of this machine, or allow, ask or deny"],
	["{ a: 1 }", [], "must be a list of ports, or allow, ask or deny"],
])("%s is a problem that is named", async (value, ports, problem) => {
	const settings = await load(value);
	expect(settings.get("sandbox.network.local")).toEqual(ports);
	expect(JSON.stringify(settings.problems)).toContain(problem);
});
