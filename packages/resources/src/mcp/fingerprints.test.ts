import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Fingerprints } from "./fingerprints.ts";
import { parseServer } from "./parse-config.ts";

const directory = mkdtempSync(join(tmpdir(), "fingerprints-"));
afterAll(() => rmSync(directory, { recursive: true }));

function toolOf(args: readonly string[], description: string, env: Record<string, string> = {}) {
	const parsed = parseServer({ command: "server", args, env });
	if (!parsed.ok) throw new Error(parsed.message);
	const origin = { source: "tau", level: "user", path: "/mcp.json" } as const;
	return {
		found: { name: "db", origin, config: parsed.config },
		definition: { name: "query", description, inputSchema: { type: "object" as const } },
	};
}

test("servers of two projects with the same name do not count as one that has changed", () => {
	const file = join(directory, "two.json");
	const [one, other] = [toolOf(["--one"], "Asks one"), toolOf(["--other"], "Asks the other")];
	new Fingerprints(file).remember(one);
	new Fingerprints(file).remember(other);
	expect(new Fingerprints(file).hasChanged(one)).toBe(false);
	expect(new Fingerprints(file).hasChanged(other)).toBe(false);
	expect(new Fingerprints(file).hasChanged(toolOf(["--one"], "Asks the other"))).toBe(true);
});

test("a new secret in the environment is not a new server", () => {
	const fingerprints = new Fingerprints(join(directory, "secret.json"));
	fingerprints.remember(toolOf([], "Asks", { TOKEN: "a" }));
	expect(fingerprints.hasChanged(toolOf([], "Asks more", { TOKEN: "b" }))).toBe(true);
});
