import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { writeTestFile } from "../support/files.ts";
import { launch } from "../support/launch.ts";
import { needs } from "../support/needs.ts";

needs("git")("tau doctor names every problem with its fix, and the fixes work", async () => {
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
	expect(out).toMatch(/! terminal: Characters: C\.\n +fix: LANG=C.UTF-8/);
	expect(out).not.toMatch(/(model|credentials): /);
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
	const { out, code } = await tau.run(["doctor"]);
	expect(out).toMatch(/✗ model: No model is connected .*\n +fix: tau login\n/);
	expect(code).toBe(1);
});

needs("git")("tau doctor tries what a session needs, and says in one line each what is there", async () => {
	await using tau = await launch({ steps: [] });
	for (let at = 0; at < 6; at++) writeTestFile(join(tau.project, `src/${at}.zig`), "const a = 1;\n");
	Bun.spawnSync(["git", "init", "-q", "-b", "trunk"], { cwd: tau.project });
	const env = { LANG: "C.UTF-8", DISPLAY: ":9", PATH: `${process.env.PATH}` };
	const { out } = await tau.run(["doctor", "--json"], { env });
	const { checks, problems } = JSON.parse(out) as {
		checks: { name: string; state: string; about: string }[];
		problems: { problem: string }[];
	};
	const about = Object.fromEntries(checks.map((check) => [check.name, check]));
	expect(about.model).toEqual({
		name: "model",
		state: "ok",
		about: expect.stringMatching(/^played\/played-1/),
	});
	expect(about.git?.about).toContain("trunk");
	expect(about.storage).toMatchObject({ state: "ok", about: expect.stringContaining("free") });
	expect(Object.keys(about)).toEqual([
		"model",
		"credentials",
		"sandbox",
		"programs",
		"git",
		"terminal",
		"clipboard",
		"language servers",
		"storage",
	]);
	const zls = problems.find(({ problem }) => problem.startsWith("zls"));
	if (Bun.which("zls") === null) expect(zls?.problem).toContain("for 6 files (zig)");
});

test("tau doctor finds a rejected key, wrong rules and refused tools, and leaves disabled servers alone", async () => {
	await using tau = await launch({ steps: [] });
	const { agentDir } = tau;
	using server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: () => new Response("", { status: 401 }),
	});
	writeTestFile(join(agentDir, "models.yml"), "providers: {}\n");
	writeTestFile(join(agentDir, "rules/torn.md"), '---\ncondition: "a(b"\n---\nNever.\n');
	const tool = (name: string): string =>
		`export default () => ({ name: "${name}", description: "d", parameters: {}, execute: () => ({ content: [] }) });`;
	writeTestFile(join(agentDir, "tools/clash.ts"), tool("read"));
	writeTestFile(join(agentDir, "tools/fine.ts"), tool("fine"));
	const servers = { off: { command: "no-such-server", enabled: false } };
	writeTestFile(join(agentDir, "mcp.json"), JSON.stringify({ mcpServers: servers }));
	const env = { OPENAI_API_KEY: "wrong-key", OPENAI_BASE_URL: `${server.url.origin}/v1` };
	const { out, code } = await tau.run(["doctor"], { env });
	expect(code).toBe(1);
	expect(out).toMatch(/✗ model: openai rejects the key for .*\n +fix: tau login openai/);
	expect(out).toMatch(/! rules: Rule torn: the condition "a\(b" is invalid/);
	expect(out).toMatch(/! tools: .*clash.ts defines the tool read, and a built-in tool has that name/);
	expect(out).toMatch(/off .*\(disabled: in its file\)/);
	expect(out).not.toMatch(/no program|fine.ts defines|wrong-key/);
});

test("a git that is not installed is reported once, as a missing program", async () => {
	await using tau = await launch({ steps: [] });
	const bin = join(tau.home, "bin");
	mkdirSync(bin);
	for (const name of ["sh", "find"]) symlinkSync(Bun.which(name) ?? "", join(bin, name));
	const { out } = await tau.run(["doctor"], { env: { PATH: bin } });
	expect(out).toMatch(/^✗ programs +missing: .*git/m);
	expect(out).not.toMatch(/^. git /m);
	expect(out.match(/git is missing/g)).toHaveLength(1);
});
