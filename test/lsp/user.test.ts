/** What the user sees of language servers: `/lsp`, and `tau setup lsp`. */
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { openTau } from "../interactive/driver.ts";
import { launch } from "../support/launch.ts";
import { scripted } from "../support/lsp/scripted.ts";

test("tau setup lsp lists the servers of the project, and how to install those that are missing", async () => {
	await using tau = await launch({ steps: [] });
	writeFileSync(join(tau.project, "a.py"), "");
	writeFileSync(join(tau.project, "b.py"), "");
	writeFileSync(join(tau.project, "main.go"), "");
	const bin = join(tau.home, "bin");
	mkdirSync(bin);
	writeFileSync(join(bin, "gopls"), "#!/bin/sh\n");
	chmodSync(join(bin, "gopls"), 0o755);
	const { out, code } = await tau.run(["setup", "lsp"], { env: { PATH: `${bin}:/usr/bin:/bin` } });
	expect(code).toBe(0);
	const rows = out.split("\n").map((row) => row.split(/ {2,}/));
	expect(rows[0]).toEqual(["pyright", "2 files", "python", "missing: npm install -g pyright"]);
	expect(rows[1]).toEqual(["gopls", "1 file", "go", "installed: ~/bin/gopls"]);
	expect(out).toContain("Tau does not install these");
	const json = await tau.run(["setup", "lsp", "--mode", "json"], { env: { PATH: "/usr/bin:/bin" } });
	expect(JSON.parse(json.out.split("\n")[0] ?? "")).toMatchObject({ name: "pyright", files: 2 });
});

test("/lsp shows running servers with their memory, their log, and restarts them; the footer counts errors", async () => {
	const call = { toolCall: { name: "lsp", arguments: { action: "diagnostics", path: "a.tst" } } };
	await using tau = await launch({ steps: [{ answer: { blocks: [call] } }, "Looked."] });
	const lsp = { servers: scripted("pull", "busy=9"), footer: true };
	writeFileSync(join(tau.agentDir, "config.yml"), JSON.stringify({ lsp }));
	writeFileSync(join(tau.project, "a.tst"), "x\nERROR\n");
	await using ui = await openTau({ steps: [] }, { home: tau });
	ui.type("/lsp\r");
	await ui.until("No language server running");
	ui.type("go\r");
	await ui.until("Looked.");
	ui.type("/lsp\r");
	await ui.until(/scripted {2}ready, 1 open file, \d+ MB/);
	await ui.until("Indexing");
	// In the footer, as the setting says.
	await ui.until("1 error");
	ui.type("/lsp log\r");
	await ui.until("scripted server started");
	ui.type("/lsp reload scripted\r");
	await ui.until("Stopped. It starts again when it is needed.");
});
