/** The official conformance suite referees the whole program as a client of MCP servers. */
// takes 30 s
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { root } from "../support/launch.ts";
import { runScenario, type ClientStart } from "./conformance-scenario.ts";

const bun = join(root, "node_modules/.bin/bun");
const manifest = Bun.fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json"));
const suite = join(dirname(manifest), "dist/index.js");
const client = join(import.meta.dir, "conformance-client.ts");

/** Scenarios of the frozen sets; extensions of the protocol run too and do not count. */
const sets: [revision: string, scenarios: number][] = [
	["2025-11-25", 18],
	["2026-07-28", 32],
];

test.each(sets)(
	"every required scenario of %s passes",
	async (revision, scenarios) => {
		const results = mkdtempSync(join(tmpdir(), "tau-conformance-"));
		try {
			const { out } = await runSuite(results, "--requirements", revision);
			const [, summary = ""] = out.split("=== SUITE SUMMARY ===");
			const [scored = "", unscored = ""] = summary.split("Not scored for");
			const notCounted = new Set([...unscored.matchAll(/[✓✗] (\S+) \(/g)].map(([, name]) => name));
			const rows = [...scored.matchAll(/([✓✗]) (\S+):/g)].filter(([, , name]) => !notCounted.has(name));
			expect(rows).toHaveLength(scenarios);
			// All run at the same time: one that a busy machine has cut short is run again, by itself.
			for (const [, mark, name = ""] of rows) {
				if (mark === "✓") continue;
				const again = await runSuite(results, "--scenario", name, "--spec-version", revision);
				if (again.code !== 0) throw new Error(`${name}:\n${again.out}`);
			}
		} finally {
			rmSync(results, { recursive: true, force: true });
		}
	},
	240_000,
);

async function runSuite(results: string, ...which: string[]): Promise<{ code: number; out: string }> {
	await using scenarios = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		idleTimeout: 0,
		fetch: async (request) => Response.json(await runScenario((await request.json()) as ClientStart)),
	});
	const command = `${bun} ${client} ${scenarios.url}`;
	const flags = [...which, "--command", command, "--timeout", "60000", "-o", results];
	const child = Bun.spawn([bun, suite, "client", ...flags], { stdout: "pipe", stderr: "pipe", cwd: results });
	const [out, , code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
	return { code, out };
}
