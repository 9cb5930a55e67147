/** `tau auth-gateway` as a user types it: serves, shows its token, makes keys, and points programs to itself. */
import { modelsYml, playModel } from "@tau/ai/testing";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { tauProgram } from "../support/launch.ts";

const nobody = "http://127.0.0.1:9";
let home = "";
beforeAll(() => {
	home = mkdtempSync(join(tmpdir(), "tau-gateway-home-"));
	mkdirSync(join(home, ".tau/agent"), { recursive: true });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function start(args: readonly string[], stdin: Blob | "ignore" = "ignore") {
	return Bun.spawn([tauProgram, ...args], {
		stdin,
		stdout: "pipe",
		stderr: "pipe",
		cwd: home,
		env: {
			PATH: process.env.PATH ?? "",
			HOME: home,
			OLLAMA_BASE_URL: nobody,
			LM_STUDIO_BASE_URL: nobody,
			LLAMA_CPP_BASE_URL: nobody,
		},
	});
}

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
	return await tau("auth-gateway", ...args);
}

async function tau(...args: string[]): Promise<{ code: number; out: string; err: string }> {
	const child = start(args);
	const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
	return { code, out, err };
}

async function addressOf(child: ReturnType<typeof start>): Promise<string> {
	let text = "";
	for await (const chunk of child.stderr) {
		text += new TextDecoder().decode(chunk);
		const url = /http:\/\/[\d.:]+\d/.exec(text)?.[0];
		if (url) return url;
	}
	throw new Error(text);
}

async function untilListed(url: string, headers: Record<string, string>, name: string): Promise<void> {
	for (const deadline = performance.now() + 60_000; ; await Bun.sleep(20)) {
		const text = await (await fetch(`${url}/v1/models`, { headers })).text();
		if (text.includes(name)) return;
		if (performance.now() > deadline) throw new Error(text);
	}
}

test("it serves the models of models.yml with its token and with keys, and ends with its signal", async () => {
	await using played = await playModel({ steps: [], fallback: "Hello from behind." });
	writeFileSync(
		join(home, ".tau/agent/models.yml"),
		modelsYml(played, { api: "anthropic-messages", apiKey: "sk-upstream" }),
	);
	const child = start(["auth-gateway", "serve", "--bind=127.0.0.1:0"]);
	try {
		const url = await addressOf(child);
		const { out: token } = await run("token");
		expect(statSync(join(home, ".tau/auth-gateway.token")).mode & 0o777).toBe(0o600);
		const { out: key, err } = await run(
			"key",
			"create",
			"--name",
			"ci",
			"--models",
			"played/*",
			"--budget",
			"5/day",
			"--rpm",
			"60",
			"--expires",
			"30d",
		);
		expect(err).toContain("shown once");
		for (const secret of [token.trim(), key.trim()]) {
			const response = await fetch(`${url}/v1/chat/completions`, {
				method: "POST",
				headers: { authorization: `Bearer ${secret}` },
				body: JSON.stringify({ model: "played/played-1", messages: [{ role: "user", content: "hi" }] }),
			});
			expect(await response.json()).toMatchObject({
				choices: [{ message: { content: "Hello from behind." } }],
			});
		}
		expect(played.requests[0]?.headers["x-api-key"]).toBe("sk-upstream");
		expect((await run("key", "list")).out).toMatch(/ci +until .* played\/\* +\$5\/day, 60 rpm/);
		// Neither secret is in what others can see of the process.
		const seen = readFileSync(`/proc/${child.pid}/cmdline`, "utf8");
		expect([token.trim(), key.trim()].filter((secret) => seen.includes(secret))).toEqual([]);
		// A key that is stored meanwhile brings its models.
		const login = start(["login", "openai", "--api-key"], new Blob(["sk-stored-meanwhile\n"]));
		expect(await login.exited).toBe(0);
		const headers = { authorization: `Bearer ${token.trim()}` };
		await untilListed(url, headers, '"openai/');
		const stats = JSON.parse((await tau("stats", "--json", "--by", "model")).out) as object;
		expect(JSON.stringify(stats)).toContain("played-1");
		await run("token", "--regenerate");
		const old = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${token.trim()}` } });
		expect(old.status).toBe(401);
		const status = await run("status", `--bind=${new URL(url).host}`, "--json");
		expect(JSON.parse(status.out)).toMatchObject({ running: true, token: true });
	} finally {
		child.kill();
	}
	expect(await child.exited).toBe(143);
});

test.each([
	["claude", "ANTHROPIC_BASE_URL=http://127.0.0.1:4000"],
	["openai", "OPENAI_BASE_URL=http://127.0.0.1:4000/v1"],
	["gemini", "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:4000"],
	["codex", "model_providers.tau.base_url=http://127.0.0.1:4000/v1"],
])("env %s prints lines that a shell reads", async (name, line) => {
	const { out, code } = await run("env", name);
	expect([code, out]).toEqual([0, expect.stringContaining(line)]);
	expect(await Bun.spawn(["bash", "-n", "-c", out]).exited).toBe(0);
});

test.each([
	[["serve", "--no-auth", "--bind=0.0.0.0:0"], "--no-auth is for addresses of this machine"],
	[["serve", "--bind=127.0.0.1:0", "--origin", "https://page.example/"], "--origin https://page.example/"],
	[["serve", "--bind=127.0.0.1:0", "--origin", "*"], "without a path, such as https://page.example"],
	[["env", "emacs"], "claude"],
	[["key", "create", "--budget", "much"], "--budget much"],
	[["key", "revoke", "nobody"], 'No key "nobody"'],
])("%p is refused with the reason", async (args, reason) => {
	const { code, err } = await run(...args);
	expect(code).not.toBe(0);
	expect(err).toContain(reason);
});
