import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { writeTestFile } from "../support/files.ts";
import { launch, type Launched } from "../support/launch.ts";

/** A machine with the few programs that `./tau` itself needs, and an apt-get that installs by making a file. */
function machine(tau: Pick<Launched, "home">): string {
	const bin = join(tau.home, "bin");
	mkdirSync(bin);
	for (const name of ["sh", "find", "dirname", "readlink", "env", "git", "bash", "touch", "chmod"]) {
		const path = Bun.which(name);
		if (path !== null) symlinkSync(path, join(bin, name));
	}
	const script = `#!/bin/sh\nshift 2\nfor name; do printf '#!/bin/sh\\n' > ${bin}/$name; chmod +x ${bin}/$name; done\n`;
	writeFileSync(join(bin, "apt-get"), script);
	writeFileSync(join(bin, "sudo"), '#!/bin/sh\nexec "$@"\n');
	for (const name of ["apt-get", "sudo"]) chmodSync(join(bin, name), 0o755);
	return bin;
}

needs("git")(
	"tau setup lists what is there, what is missing, and the command that would install it",
	async () => {
		await using tau = await launch({ steps: [] });
		const env = { PATH: machine(tau), SHELL: "/bin/bash" };
		const { out, code } = await tau.run(["setup"], { env });
		expect(code).toBe(0);
		expect(out).toMatch(/^git +\S+bin\/git +diffs/m);
		expect(out).toMatch(/^chromium +missing +the browser/m);
		expect(out).toMatch(/It would run: (?:sudo )?apt-get install -y .*chromium/);
		expect(out).toContain('eval "$(tau completion bash)"');
		const rows = (await tau.run(["setup", "--mode", "json"], { env })).out.trim().split("\n");
		expect(rows.map((row) => JSON.parse(row).component)).toContain("ssh");
		const doctor = await tau.run(["doctor"], { env });
		expect(doctor.out).toMatch(/bubblewrap is missing .*\n +fix: (?:sudo )?apt-get install -y bubblewrap/);
	},
);

test("nothing is installed without a yes", async () => {
	await using tau = await launch({ steps: [] });
	const bin = machine(tau);
	const env = { PATH: bin };
	expect(await tau.run(["setup", "install", "chromium"], { env })).toMatchObject({
		code: 2,
		err: expect.stringContaining("pass --yes"),
	});
	expect(existsSync(join(bin, "chromium"))).toBe(false);
	expect(await tau.run(["setup", "install", "nonsense"], { env })).toMatchObject({
		code: 2,
		err: expect.stringContaining("Choose from: git, bash,"),
	});
	const done = await tau.run(["setup", "install", "chromium", "--yes"], { env });
	expect(done.out).toContain("Installed chromium.");
	expect(existsSync(join(bin, "chromium"))).toBe(true);
	expect((await tau.run(["setup", "install", "chromium", "--yes"], { env })).out).toBe(
		"Nothing is missing.\n",
	);
});

test("tau setup import shows keys of other agents and copies them after a yes; logins stay where they are", async () => {
	await using tau = await launch({ steps: [] });
	const write = (path: string, text: string): string => writeTestFile(join(tau.home, path), text);
	write(
		".pi/agent/auth.json",
		JSON.stringify({
			openrouter: { type: "api_key", key: "sk-or-1234567890" },
			anthropic: { type: "oauth", access: "never-copied", refresh: "never-copied" },
			groq: { type: "api_key", key: "$GROQ_KEY_NAME" },
		}),
	);
	write(
		".codex/auth.json",
		JSON.stringify({ OPENAI_API_KEY: "sk-openai-abcdef", tokens: { access_token: "x" } }),
	);
	write(".gemini/.env", "GEMINI_API_KEY=gem-1234567890\n");
	write(".local/share/opencode/auth.json", "{ torn");
	const shown = await tau.run(["setup", "import"]);
	expect(shown.code).toBe(2);
	expect(shown.out).toContain("sk-o…90");
	expect(shown.out).not.toContain("sk-or-1234567890");
	expect(shown.out).toMatch(/opencode\/auth\.json cannot be read/);
	expect(shown.out).not.toContain("groq");
	const done = await tau.run(["setup", "import", "--yes"]);
	expect(done.out).toMatch(/Copied to \S+: openrouter, openai, google\./);
	const status = await tau.run(["auth", "status"]);
	expect(status.out).toMatch(/openrouter/i);
	expect(status.out).not.toMatch(/anthropic.*stored/i);
	expect((await tau.run(["setup", "import", "--yes"])).out).toContain("Tau has one");
});

test("tau setup import copies the default model, providers and sessions of other agents, and never over yours", async () => {
	await using tau = await launch({ steps: [] });
	const write = (path: string, text: string): string => writeTestFile(join(tau.home, path), text);
	write(
		".codex/config.toml",
		`model = "big-1"
model_provider = "lab"
model_reasoning_effort = "high"
[model_providers.lab]
base_url = "https://lab.example/v1"
env_key = "LAB_KEY"
wire_api = "responses"
`,
	);
	write(".claude/settings.json", '{ "model": "opus[1m]" } // comment\n');
	write(
		".config/opencode/opencode.json",
		JSON.stringify({
			small_model: "near/tiny",
			provider: {
				near: {
					options: { baseURL: "http://127.0.0.1:9/v1" },
					models: { tiny: { name: "Tiny", limit: { context: 8000, output: 1000 } } },
				},
			},
		}),
	);
	write(
		".gemini/tmp/shop/chats/session-1.json",
		JSON.stringify({
			sessionId: "9c1d7f0e-0000-4000-8000-000000000001",
			startTime: "2026-05-01T10:00:00.000Z",
			directories: [tau.project],
			messages: [{ id: "a", type: "user", timestamp: "2026-05-01T10:00:00.000Z", content: "hello there" }],
		}),
	);
	const shown = await tau.run(["setup", "import"]);
	expect(shown.code).toBe(2);
	expect(shown.out).toMatch(/modelRoles\.default +anthropic\/opus +Claude Code/);
	expect(shown.out).toMatch(/modelRoles\.default +lab\/big-1 +Codex.*not copied: already set/);
	expect(shown.out).toMatch(/providers\.near +http:\/\/127\.0\.0\.1:9\/v1 +opencode/);
	expect(shown.out).toContain("1 session of Gemini CLI");
	expect((await tau.run(["sessions", "list"])).out).not.toContain("hello there");
	const done = await tau.run(["setup", "import", "--yes"]);
	expect(done.out).toContain("5 settings were copied.");
	expect(done.out).toContain("1 imported.");
	expect((await tau.run(["config", "get", "modelRoles.smol"])).out).toContain("near/tiny");
	expect((await tau.run(["config", "get", "defaultThinkingLevel"])).out).toContain("high");
	const models = (await tau.run(["--list-models", "lab"])).out;
	expect(models).toMatch(/lab +big-1/);
	expect((await tau.run(["--list-models", "played"])).out).toMatch(/played/);
	expect((await tau.run(["sessions", "list"])).out).toContain("hello there");
	const again = await tau.run(["setup", "import", "--yes"]);
	expect(again.out).not.toContain("copied.");
	expect(again.out).toContain("1 up to date");
});
