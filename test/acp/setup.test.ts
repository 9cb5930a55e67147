/** `tau setup acp`: editors get to know Tau, and nothing of their files is lost. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";

test("the configuration of every editor is printed, and nothing is written without a yes", async () => {
	await using tau = await launch({ steps: [] });
	mkdirSync(join(tau.home, ".config/zed"), { recursive: true });
	const { out, code } = await tau.run(["setup", "acp"]);
	expect(code).toBe(0);
	for (const word of ["agent_servers", "acp_providers", "codecompanion", "agent-shell-make-agent-config"])
		expect(out).toContain(word);
	expect(existsSync(join(tau.home, ".config/zed/settings.json"))).toBe(false);
});

test("with a yes it is added to what is there, once; a file with comments is left alone", async () => {
	await using tau = await launch({ steps: [] });
	const [zed, jetbrains] = [join(tau.home, ".config/zed"), join(tau.home, ".jetbrains")];
	mkdirSync(zed, { recursive: true });
	mkdirSync(jetbrains);
	writeFileSync(join(zed, "settings.json"), '// mine\n{ "theme": "One" }\n');
	writeFileSync(join(jetbrains, "acp.json"), '{"agent_servers":{"Other":{"command":"other"}}}');
	await tau.run(["setup", "acp", "--yes"]);
	expect(readFileSync(join(zed, "settings.json"), "utf8")).toBe('// mine\n{ "theme": "One" }\n');
	const written = readFileSync(join(jetbrains, "acp.json"), "utf8");
	expect(JSON.parse(written)).toMatchObject({
		agent_servers: {
			Other: { command: "other" },
			Tau: { args: ["acp"], command: expect.stringMatching(/^\//) },
		},
	});
	await tau.run(["setup", "acp", "--yes"]);
	expect(readFileSync(join(jetbrains, "acp.json"), "utf8")).toBe(written);
});
