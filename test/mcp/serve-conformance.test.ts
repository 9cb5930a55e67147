/** The official conformance suite drives `tau mcp serve`, whose fixtures are an extension. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { launch } from "../support/launch.ts";

const extension = join(import.meta.dir, "../support/mcp/conformance-extension.ts");
const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));

/** The scenarios that count: tasks, which are an extension of the protocol, are not among them. */
const required = { "2025-11-25": 30, "2026-07-28": 37 } as const;

test.each(["2025-11-25", "2026-07-28"] as const)(
	"tau mcp serve passes every server scenario that revision %s requires",
	async (revision) => {
		await using tau = await launch({ steps: [] });
		const server = tau.start(["mcp", "serve", "--http", "-e", extension]);
		await server.until(({ out }) => out.includes("\n"));
		const url = server.output().out.trim();
		const results = mkdtempSync(join(tmpdir(), "tau-conformance-"));
		try {
			const command = [process.execPath, suite, "server", "--url", url, "--requirements", revision];
			const run = Bun.spawn([...command, "-o", results], {
				cwd: results,
				env: tau.env,
				stdout: "pipe",
				stderr: "pipe",
			});
			const [report, code] = await Promise.all([run.stdout.text(), run.exited]);
			const [, summary = "", rest = ""] = report.split(/=== SUMMARY ===|\nTotal: /);
			const notScored = new Set([...rest.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name]) => name));
			const scored = [...summary.matchAll(/^([✓✗]) ([^:]+):/gm)].filter(([, , name]) => !notScored.has(name));
			expect(scored.filter(([, mark]) => mark !== "✓").map(([line]) => line)).toEqual([]);
			expect(scored).toHaveLength(required[revision]);
			expect(code).toBe(0);
		} finally {
			rmSync(results, { recursive: true, force: true });
			server.process.kill("SIGTERM");
			await server.finished;
		}
	},
	180_000,
);
