import { expect, test } from "bun:test";
import { join } from "node:path";

import { writeTestFile } from "../support/files.ts";
import { launch } from "../support/launch.ts";

test("tau doctor names every problem with its fix, and the fixes work", async () => {
	await using tau = await launch({ steps: [] });
	const { agentDir } = tau;
	writeTestFile(join(agentDir, "config.yml"), "retry:\n  enabled: perhaps\n");
	writeTestFile(join(agentDir, "keybindings.yml"), "preset: nano\n");
	writeTestFile(join(agentDir, "extensions/torn.ts"), "export default (\n");
	writeTestFile(join(agentDir, "mcp.json"), '{ "mcpServers": { "far": { "command": "no-such-server" } } }');
	const env = { LANG: "C", LC_ALL: "C" };
	const { out, code } = await tau.run(["doctor"], { env });
	expect(code).toBe(0);
	expect(out).toMatch(/settings: ~\/.tau\/agent\/config.yml:2 retry.enabled: .*\n +fix: .*tau config doc/);
	expect(out).toMatch(/keys: .*"nano".*\n +fix: .*keybindings.yml/);
	expect(out).toMatch(/extensions: ~\/.tau\/agent\/extensions\/torn.ts:\d+ does not compile: Unexpected/);
	expect(out).toContain("mcp: far (~/.tau/agent/mcp.json): there is no program no-such-server.");
	expect(out).toMatch(/terminal: Characters: C\.\n +fix: LANG=C.UTF-8/);
	expect(out).not.toContain("credentials:");
	const [, disable = ""] = /(tau config set disabledExtensions .*)/.exec(out) ?? [];
	const [, remove = ""] = /(tau mcp remove far)/.exec(out) ?? [];
	writeTestFile(join(agentDir, "config.yml"), "retry:\n  enabled: false\n");
	writeTestFile(join(agentDir, "keybindings.yml"), "preset: vim\n");
	for (const command of [disable, remove]) {
		const words = command.replaceAll("'", "").split(" ").slice(1);
		expect(await tau.run(words)).toMatchObject({ code: 0 });
	}
	const { problems } = JSON.parse((await tau.run(["doctor", "--mode", "json"])).out);
	expect(problems.filter(({ area }: { area: string }) => area !== "programs" && area !== "sandbox")).toEqual(
		[],
	);
});

test("without a key or a model of the user's own, tau doctor says how to get one", async () => {
	await using tau = await launch({ steps: [] });
	writeTestFile(join(tau.agentDir, "models.yml"), "providers: {}\n");
	const { out } = await tau.run(["doctor"]);
	expect(out).toMatch(/credentials: There is no key and no login.*\n +fix: tau login\n/);
});
