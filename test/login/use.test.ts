/** Stored credentials are used for requests, in the order that docs/login.md describes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { modelsYml, playOAuth } from "@tau/ai/testing";
import { expect, test } from "bun:test";

import { launch, type Launched } from "../support/launch.ts";

const ask = ["-p", "hi", "--model", "played/played-1"];

/** A custom provider whose key comes from the file, unless a stronger source has one. */
function withFileKey(tau: Launched): void {
	writeFileSync(
		join(tau.agentDir, "models.yml"),
		modelsYml(tau.played, { api: "anthropic-messages", apiKey: "file-key" }),
	);
}

function keep(tau: Launched, key: string): Promise<unknown> {
	return tau.run(["login", "played", "--api-key"], { stdin: `${key}\n` });
}

function keysSent(tau: Launched): unknown[] {
	return tau.played.requests.map(({ headers }) => headers["x-api-key"]);
}

test("--api-key is used first, then the store, then the file", async () => {
	await using tau = await launch({ steps: ["a", "b", "c", "d"] });
	withFileKey(tau);
	await tau.run(ask);
	await keep(tau, "stored-key");
	await tau.run(ask);
	await tau.run([...ask, "--api-key", "given-key"]);
	await tau.run(["logout", "played"]);
	await tau.run(ask);
	expect(keysSent(tau)).toEqual(["file-key", "stored-key", "given-key", "file-key"]);
});

test.each([
	["its own argument", ["--api-key", "sk-very-secret-ünïcode"]],
	["one argument with the flag", ["--api-key=sk-very-secret-ünïcode"]],
])("--api-key as %s is not in the command line that ps and the model's commands see", async (_, flag) => {
	const command = "tr '\\0' ' ' </proc/$PPID/cmdline; echo; ps -ww -o args= -p $PPID";
	await using tau = await launch({
		steps: [{ answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] } }, "Done."],
	});
	withFileKey(tau);
	expect(await tau.run([...ask, ...flag])).toMatchObject({ code: 0, out: "Done.\n" });
	expect(keysSent(tau)[0]).toContain("sk-very-secret");
	const seen = tau.played.requests[1]?.rawBody ?? "";
	expect(seen).toMatch(/--api-key[ =]\*{20,}/);
	expect(seen).not.toContain("very-secret");
});

test("a rate-limited key is in cooldown, and the next run uses the other", async () => {
	await using tau = await launch({ steps: [{ fault: { http: 429, retryAfter: 600 } }, "fine"] });
	withFileKey(tau);
	await keep(tau, "first-key");
	await keep(tau, "second-key");
	expect((await tau.run(ask)).code).toBe(1);
	expect(await tau.run(ask)).toMatchObject({ code: 0, out: "fine\n" });
	expect(keysSent(tau)).toEqual(["first-key", "second-key"]);
	expect((await tau.run(["auth", "status"])).out).toMatch(/^played +key .* resting \(until /m);
});

test("a rejected key is not used again, and the user learns what is used instead", async () => {
	await using tau = await launch({ steps: [{ fault: { http: 401 } }, "fine"] });
	withFileKey(tau);
	await keep(tau, "revoked-key");
	expect((await tau.run(ask)).code).toBe(1);
	const { code, err } = await tau.run(ask);
	expect(code).toBe(0);
	expect(err).toMatch(/^tau: The stored key for played was rejected \(.*\)\. Run tau login played\n$/);
	expect(keysSent(tau)).toEqual(["revoked-key", "file-key"]);
	expect((await tau.run(["auth", "status"])).out).toMatch(
		/^played +key .* refused \(.*run tau login played\)/m,
	);
});

test("a login is refreshed once when it is due, and an ended login says how to renew it", async () => {
	await using tau = await launch({ steps: ["one", "two"] });
	await using server = playOAuth("anthropic", { lifetime: 30 });
	const env = { ...server.env, ANTHROPIC_BASE_URL: tau.played.anthropicUrl };
	const running = tau.start(["login", "anthropic"], { env });
	await running.until(({ out }) => /^ {2}(http\S+)$/m.test(out));
	await fetch(/^ {2}(http\S+)$/m.exec(running.output().out)?.[1] ?? "");
	expect((await running.finished).code).toBe(0);
	const { code } = await tau.run(["-p", "hi", "--provider", "anthropic"], { env });
	expect({ code, renewals: server.renewals, reused: server.reused }).toEqual({
		code: 0,
		renewals: 1,
		reused: 0,
	});
	const { headers } = tau.played.requests[0] ?? {};
	expect(headers?.["x-api-key"] ?? headers?.authorization).toMatch(/access-\d/);
	server.revoke();
	server.stumble(server.flow.tokenUrl, () => Response.json({ error: "invalid_grant" }, { status: 400 }));
	const ended = await tau.run(["-p", "hi", "--provider", "anthropic"], {
		env: { ...env, TAU_LOG_LEVEL: "debug" },
	});
	expect(ended.code).toBe(1);
	expect(ended.err).toMatch(
		/The login of anthropic \(ada@example\.com\) is no longer valid. Run tau login anthropic/,
	);
	expect(tau.played.requests).toHaveLength(1);
});

test("a damaged store costs a notice, not the answer", async () => {
	await using tau = await launch({ steps: ["fine"] });
	writeFileSync(join(tau.agentDir, "agent.db"), "not a database ".repeat(600));
	const { code, out, err } = await tau.run(ask);
	expect({ code, out }).toEqual({ code: 0, out: "fine\n" });
	expect(err).toMatch(
		/^tau: \S+agent\.db was damaged and moved to \S+agent\.db\.damaged-\S+. Log in again with tau login\n$/,
	);
});

test("the status lists variables too, and never their values", async () => {
	await using tau = await launch({ steps: [] });
	await tau.run(["login", "groq"], { stdin: "gsk_stored_secret\n" });
	const env = { GROQ_API_KEY: "gsk_variable_secret", CEREBRAS_API_KEY: "csk_variable_secret" };
	const { code, out } = await tau.run(["auth"], { env });
	expect(code).toBe(0);
	expect(out.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
		["PROVIDER", "KIND", "ACCOUNT", "EXPIRES", "STATE", "FROM"],
		["groq", "key", "–", "–", "ready", "stored"],
		["groq", "key", "–", "–", "second (the stored credential is used first)", "GROQ_API_KEY"],
		["cerebras", "key", "–", "–", "ready", "CEREBRAS_API_KEY"],
		[""],
	]);
	expect(out).not.toContain("secret");
});

/** Where requests of a built-in provider go. */
function moveTo(tau: Launched, provider: string, baseUrl: string): void {
	writeFileSync(join(tau.agentDir, "models.yml"), `providers:\n  ${provider}:\n    baseUrl: ${baseUrl}\n`);
}

test("a Google account uses the project that its login found", async () => {
	await using tau = await launch({
		steps: [{ when: { protocol: "google-gemini-cli" }, answer: "from Google" }],
	});
	await using server = playOAuth("google-gemini-cli");
	moveTo(tau, "google-gemini-cli", tau.played.url);
	const running = tau.start(["login", "google-gemini-cli"], { env: server.env });
	await running.until(({ out }) => /^ {2}(http\S+)$/m.test(out));
	await fetch(/^ {2}(http\S+)$/m.exec(running.output().out)?.[1] ?? "");
	expect((await running.finished).code).toBe(0);
	const asked = ["-p", "hi", "--model", "google-gemini-cli/gemini-3.8-flash"];
	expect(await tau.run(asked, { env: server.env })).toEqual({ code: 0, out: "from Google\n", err: "" });
	expect(tau.played.requests).toMatchObject([
		{
			headers: { authorization: expect.stringMatching(/^Bearer access-/) },
			body: { model: "gemini-3.8-flash", project: "project-of-ada" },
		},
	]);
});

test("a GitLab token is exchanged for one of its gateway, whose headers go with each request", async () => {
	await using tau = await launch({ steps: ["from GitLab Duo"] });
	await using server = playOAuth("gitlab-duo", { tickets: ["glpat-of-the-environment"] });
	moveTo(tau, "gitlab-duo", tau.played.anthropicUrl);
	const env = { ...server.env, GITLAB_TOKEN: "glpat-of-the-environment" };
	const asked = ["-p", "hi", "--model", "gitlab-duo/claude-sonnet-4-6"];
	expect(await tau.run(asked, { env })).toEqual({ code: 0, out: "from GitLab Duo\n", err: "" });
	expect(tau.played.requests).toMatchObject([
		{
			path: "/v1/messages",
			headers: { authorization: expect.stringMatching(/^Bearer short-/), "x-gitlab-realm": "saas" },
		},
	]);
	expect(tau.played.requests[0]?.headers).not.toHaveProperty("x-api-key");
});

test("a GitHub token is exchanged for Copilot's before the first request", async () => {
	await using tau = await launch({ steps: ["from Copilot"] });
	await using server = playOAuth("github-copilot", { tickets: ["gho_of-the-environment"] });
	moveTo(tau, "github-copilot", tau.played.openaiUrl);
	const env = { ...server.env, COPILOT_GITHUB_TOKEN: "gho_of-the-environment" };
	const asked = ["-p", "hi", "--model", "github-copilot/gpt-6.1-sol"];
	expect(await tau.run(asked, { env })).toEqual({ code: 0, out: "from Copilot\n", err: "" });
	expect(tau.played.requests).toMatchObject([
		{
			headers: {
				authorization: expect.stringMatching(/^Bearer short-/),
				"x-initiator": "user",
				"editor-version": expect.any(String),
				"copilot-integration-id": expect.any(String),
			},
		},
	]);
	server.revoke();
	const { code, err } = await tau.run(asked, { env });
	expect(code).toBe(1);
	expect(err).toMatch(/^tau: [^\n]*The github-copilot key yields no token: [^\n]*Bad credentials[^\n]*\n$/);
	expect(err).not.toContain("gho_");
});
