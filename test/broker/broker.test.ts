/** Credentials of one machine on others: real brokers, real clients, a played vendor and a played model. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playOAuth } from "@tau/ai/testing";
import { expect, test } from "bun:test";

import { fakeBrowser } from "../support/browser.ts";
import { launch, type Launched } from "../support/launch.ts";
import { askAnthropic, client, serveBroker, storeKey } from "./broker.ts";

const lentKey = "sk-ant-api03-lent";

function keysSent(tau: Launched): unknown[] {
	return tau.played.requests.map(({ headers }) => headers["x-api-key"]);
}

test("two machines answer with the key of a third, not with their own, while the broker lives, is killed, and is back", async () => {
	await using broker = await serveBroker({ before: (tau) => storeKey(tau, lentKey) });
	await using one = await client();
	await using two = await client();
	await storeKey(two, "sk-ant-api03-own");
	for (const tau of [one, two])
		expect(await askAnthropic(tau, broker.clientEnv)).toEqual({ code: 0, out: "hello\n", err: "" });
	await broker.kill();
	expect(await askAnthropic(one, broker.clientEnv)).toEqual({ code: 0, out: "hello\n", err: "" });
	const fresh = await askAnthropic(one, { ...broker.clientEnv, TAU_AUTH_BROKER_SNAPSHOT_TTL_MS: "0" });
	expect(fresh).toMatchObject({
		code: 1,
		out: "",
		err: expect.stringContaining(`Cannot reach the auth broker ${broker.url}`),
	});
	await broker.start();
	expect(await askAnthropic(two, broker.clientEnv)).toMatchObject({ code: 0 });
	expect([...keysSent(one), ...keysSent(two)]).toEqual([lentKey, lentKey, lentKey, lentKey]);
	const cache = join(one.home, ".tau/cache/auth-broker-snapshot.enc");
	expect(statSync(cache).mode & 0o777).toBe(0o600);
	expect(readFileSync(cache).includes(lentKey)).toBe(false);
	expect((await broker.stop()).code).toBe(0);
});

test("a token that was replaced or is wrong is refused at once, whatever is cached, and without a request", async () => {
	await using broker = await serveBroker({ before: (tau) => storeKey(tau, lentKey) });
	await using tau = await client();
	expect((await askAnthropic(tau, broker.clientEnv)).code).toBe(0);
	const next = await broker.tau.run(["auth-broker", "token", "--regenerate", "--json"]);
	const { token } = JSON.parse(next.out) as { token: string };
	expect(token).not.toBe(broker.token);
	const refused = await askAnthropic(tau, broker.clientEnv);
	expect(refused).toMatchObject({ code: 1, out: "" });
	expect(refused.err).toContain(
		"does not accept the token (HTTP 401). Run tau auth-broker token on its host",
	);
	expect(refused.err).not.toContain(broker.token);
	const env = { ...broker.clientEnv, TAU_AUTH_BROKER_TOKEN: token };
	expect((await askAnthropic(tau, env)).code).toBe(0);
	expect(keysSent(tau)).toEqual([lentKey, lentKey]);
});

test("an address without a token is an error, and no other credential is used instead", async () => {
	await using tau = await client();
	await storeKey(tau, "sk-ant-api03-own");
	const env = { TAU_AUTH_BROKER_URL: "http://127.0.0.1:9", ANTHROPIC_API_KEY: "sk-ant-api03-variable" };
	const { code, err } = await askAnthropic(tau, env);
	expect({ code, requests: tau.played.requests.length }).toEqual({ code: 1, requests: 0 });
	expect(err).toContain(
		"There is no token for the auth broker http://127.0.0.1:9. Run tau auth-broker token on its host",
	);
});

test("the settings name the broker, a variable the token; a project cannot, and a login names the broker's command", async () => {
	await using broker = await serveBroker({ before: (tau) => storeKey(tau, lentKey) });
	await using tau = await client();
	mkdirSync(join(tau.project, ".tau"));
	writeFileSync(join(tau.project, ".tau/config.yml"), "auth:\n  broker:\n    url: http://127.0.0.1:9\n");
	writeFileSync(
		join(tau.agentDir, "config.yml"),
		`auth:\n  broker:\n    url: ${broker.url}\n    token: $LENDER\n`,
	);
	const env = { LENDER: broker.token };
	expect(await askAnthropic(tau, env)).toMatchObject({ code: 0, out: "hello\n" });
	const login = await tau.run(["login", "anthropic", "--api-key"], { env, stdin: "sk-ant-x\n" });
	expect(login).toMatchObject({
		code: 1,
		err: expect.stringContaining("Run tau auth-broker login anthropic on its host."),
	});
	const status = await tau.run(["auth", "status", "--mode", "json"], { env });
	expect(JSON.parse(status.out)).toMatchObject({ provider: "anthropic", from: `broker ${broker.url}` });
	const state = await tau.run(["auth-broker", "status", "--json"], { env });
	expect(JSON.parse(state.out)).toMatchObject({ url: broker.url, ok: true, providers: { anthropic: 1 } });
	expect((await tau.run(["auth-broker", "status"], { env: { LENDER: "wrong" } })).err).toContain("HTTP 401");
	const doctor = await tau.run(["doctor"], { env });
	expect(doctor.out).toMatch(new RegExp(`auth broker +${broker.url} \\(version \\S+\\) lends anthropic`));
	writeFileSync(join(tau.home, ".tau/auth-broker.token"), `${broker.token}\n`, { mode: 0o644 });
	writeFileSync(join(tau.agentDir, "config.yml"), "");
	expect(await askAnthropic(tau, { OMP_AUTH_BROKER_URL: broker.url })).toMatchObject({ code: 0 });
	expect(statSync(join(tau.home, ".tau/auth-broker.token")).mode & 0o777).toBe(0o600);
});

test("eight clients that need a new token at once cause one renewal, with one use of the refresh token", async () => {
	await using vendor = playOAuth("anthropic", { lifetime: 1 });
	await using broker = await serveBroker({
		env: vendor.env,
		async before(tau) {
			const env = { ...vendor.env, ...fakeBrowser(tau) };
			expect(await tau.run(["auth-broker", "login", "anthropic"], { env })).toMatchObject({ code: 0 });
			gate = vendor.hold();
		},
	});
	await using tau = await client();
	const counted = { refreshes: 0 };
	const all = Promise.withResolvers<void>();
	const front = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		idleTimeout: 60,
		async fetch(request) {
			const { pathname } = new URL(request.url);
			const headers = new Headers(request.headers);
			headers.delete("host");
			const { method } = request;
			const body = method === "POST" ? { body: await request.text() } : {};
			const answer = fetch(broker.url + pathname, { method, headers, ...body });
			if (pathname.endsWith("/refresh") && ++counted.refreshes === 8) all.resolve();
			return answer;
		},
	});
	const env = { ...broker.clientEnv, TAU_AUTH_BROKER_URL: `http://127.0.0.1:${front.port}` };
	const asked = Array.from({ length: 8 }, () => askAnthropic(tau, env));
	await Promise.race([all.promise, Promise.all(asked)]);
	gate?.release();
	const answers = await Promise.all(asked);
	await front.stop(true);
	expect(answers.map(({ code, err }) => ({ code, err }))).toEqual(answers.map(() => ({ code: 0, err: "" })));
	expect({ renewals: vendor.renewals, reused: vendor.reused }).toEqual({ renewals: 1, reused: 0 });
	expect(new Set(tau.played.requests.map(({ headers }) => headers.authorization)).size).toBe(1);
});

let gate: { release(): void } | undefined;

test("files and local credentials come to the broker, once, and the list shows them without secrets", async () => {
	await using broker = await serveBroker();
	await using tau = await launch({ steps: [] });
	const files = join(tau.home, "auths");
	mkdirSync(files);
	const login = { access_token: "ya-access", refresh_token: "ya-refresh", expired: "2099-01-01T00:00:00Z" };
	writeFileSync(
		join(files, "a.json"),
		JSON.stringify({ type: "claude", email: "ada@example.com", ...login }),
	);
	writeFileSync(join(files, "b.json"), JSON.stringify({ type: "codex", disabled: true, ...login }));
	writeFileSync(join(files, "c.json"), "{ no json ya-secret");
	const dry = await tau.run(["auth-broker", "import", files, "--dry-run"]);
	expect(dry.out).toContain("would be imported");
	const imported = await tau.run(["auth-broker", "import", files, "--json"]);
	expect(imported.code).toBe(1);
	expect(
		imported.out
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as object),
	).toMatchObject([
		{ provider: "anthropic", account: "ada@example.com", state: "imported" },
		{ provider: "openai-codex", state: "skipped", note: "disabled" },
		{ state: "failed" },
	]);
	await tau.run(["login", "openai", "--api-key"], { stdin: "sk-openai-local\n" });
	const env = { ...broker.clientEnv, GROQ_API_KEY: "gsk-variable" };
	const sent = await tau.run(["auth-broker", "migrate", "--from-local", "--include-env"], { env });
	expect(sent.out).toMatch(
		/anthropic +login +ada@example.com +stored +skipped \(a login; add --include-oauth\)/,
	);
	expect(sent.out).toMatch(/openai +key .* sent/);
	expect(sent.out).toMatch(/groq +key +– +GROQ_API_KEY +sent/);
	const again = await tau.run(["auth-broker", "migrate", "--from-local", "--include-oauth", "--json"], {
		env,
	});
	expect(again.out).toContain('"state":"already there"');
	expect(again.out).toContain('"state":"sent"');
	const list = await broker.tau.run(["auth-broker", "list"]);
	for (const name of ["anthropic", "openai", "groq"]) expect(list.out).toContain(name);
	const said = dry.out + imported.out + imported.err + sent.out + again.out + list.out;
	for (const secret of ["ya-", "sk-openai", "gsk-"]) expect(said).not.toContain(secret);
	const logout = await broker.tau.run(["auth-broker", "logout", "groq"]);
	expect(logout).toMatchObject({ code: 0, out: expect.stringContaining("Removed 1 credential for") });
});
