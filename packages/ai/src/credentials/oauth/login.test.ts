/** A login ends with a credential or with a one-line reason, whatever browser, user and server do. */
import { afterEach, describe, expect, jest, test } from "bun:test";

import { maskSecrets } from "@tau/utils";

import { limits } from "../limits.ts";
import { browse, playOAuth } from "../testing/oauth-server.ts";
import { testUser } from "../testing/test-user.ts";
import type { Clock } from "./device-code.ts";
import { findFlow, login, oauthFlows, type OAuthFlow } from "./index.ts";

const never = new AbortController().signal;

function flowOf(provider: string): OAuthFlow {
	const flow = findFlow(provider, {});
	if (!flow) throw new Error(`there is no flow for ${provider}`);
	return flow;
}

/** A clock that advances only in waits. */
function tickingClock(): Clock & { waits: number[] } {
	const waits: number[] = [];
	let now = 1_000_000;
	return {
		waits,
		now: () => now,
		async wait(ms, signal) {
			signal.throwIfAborted();
			waits.push(ms);
			now += ms;
		},
	};
}

describe("every login of the table", () => {
	const browserFlows = oauthFlows.filter(({ grant }) => grant.kind === "authorization_code");
	test.each(browserFlows.map(({ provider }) => provider))(
		"%s: a login in the browser returns the token",
		async (provider) => {
			await using server = playOAuth(provider);
			const { flow } = server;
			const result = await login(flow, testUser(browse), never);
			expect(result).toMatchObject({ ok: true, credential: { kind: flow.givesKey ? "api_key" : "oauth" } });
			if (!result.ok) return;
			expect(result.credential.account).toBe(flow.givesKey ? "user_1" : "ada@example.com");
			expect(result.credential.refresh === undefined).toBe(flow.givesKey === true);
			expect(maskSecrets(`it is ${result.credential.access}!`)).not.toContain(result.credential.access);
			const [authorize, token] = server.requests;
			expect(authorize?.parameters).toMatchObject({ code_challenge_method: "S256" });
			expect(token?.parameters.code_verifier).not.toBe(authorize?.parameters.code_challenge);
			expect(token?.headers["content-type"]).toContain(flow.encoding);
		},
	);

	const deviceFlows = oauthFlows.filter(({ grant }) => grant.kind === "device_code");
	test.each(deviceFlows.map(({ provider }) => provider))(
		"%s: a code that is typed in elsewhere",
		async (provider) => {
			await using server = playOAuth(provider, { device: ["pending", "granted"] });
			const somebody = testUser();
			const clock = tickingClock();
			const result = await login(server.flow, somebody, never, clock);
			expect(result).toMatchObject({ ok: true, credential: { kind: "oauth", refresh: expect.any(String) } });
			expect(somebody.seen).toEqual([{ kind: "device", url: `${server.url}/device`, code: "ABCD-1234" }]);
			expect(clock.waits).toEqual([5000, 5000]);
		},
	);

	test("uses real servers over https, and no provider has two logins", () => {
		const urls = oauthFlows.flatMap(({ tokenUrl, exchange, whoami, codeAssist, grant }) => [
			tokenUrl,
			...(codeAssist ? [codeAssist.url] : []),
			...(exchange ? [exchange.url] : []),
			...(whoami ? [whoami.url] : []),
			grant.kind === "device_code" ? grant.deviceUrl : grant.authorizeUrl,
		]);
		for (const url of urls) expect(new URL(url).protocol).toBe("https:");
		expect(new Set(oauthFlows.map(({ provider }) => provider)).size).toBe(oauthFlows.length);
	});

	test("uses the host that the environment sets", () => {
		expect(findFlow("kimi-code", { KIMI_OAUTH_HOST: "https://auth.kimi.ai" })?.tokenUrl).toBe(
			"https://auth.kimi.ai/api/oauth/token",
		);
		const both = { KIMI_OAUTH_HOST: "https://second.test", KIMI_CODE_OAUTH_HOST: "https://first.test" };
		expect(findFlow("kimi-code", both)?.grant).toMatchObject({
			deviceUrl: "https://first.test/api/oauth/device_authorization",
		});
		expect(findFlow("kimi-code", { KIMI_OAUTH_HOST: "not an address" })).toEqual(flowOf("kimi-code"));
	});

	test("github-copilot: the token is exchanged, and provides its owner and the address of requests", async () => {
		await using server = playOAuth("github-copilot", { account: "ada" });
		const result = await login(server.flow, testUser(), never, tickingClock());
		expect(result).toMatchObject({
			ok: true,
			credential: {
				access: expect.stringMatching(/^short-/),
				refresh: expect.stringMatching(/^access-/),
				account: "ada",
				baseUrl: "https://api.business.githubcopilot.com",
			},
		});
	});

	test("github-copilot: an account without Copilot gets GitHub's message", async () => {
		await using server = playOAuth("github-copilot");
		server.stumble(server.flow.exchange?.url ?? "", () =>
			Response.json({ error_details: { message: "No access to Copilot found." } }, { status: 403 }),
		);
		const result = await login(server.flow, testUser(), never, tickingClock());
		expect(result).toMatchObject({
			ok: false,
			problem: "refused",
			message: expect.stringContaining("No access to Copilot found."),
		});
	});
});

describe("in the browser", () => {
	test("a user who denies ends the login", async () => {
		await using server = playOAuth("anthropic", { user: "denies" });
		const result = await login(server.flow, testUser(browse), never);
		expect(result).toMatchObject({ ok: false, problem: "denied" });
		expect(server.requests).toHaveLength(1);
	});

	test("an answer with a wrong state is rejected and does not end the login", async () => {
		await using server = playOAuth("anthropic");
		const somebody = testUser();
		const running = login(server.flow, somebody, never);
		const address = await somebody.shown;
		const forged = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
		forged.search = "?code=stolen&state=guessed";
		const page = await fetch(forged);
		expect(page.status).toBe(400);
		expect(await page.text()).toContain("not the login");
		forged.search = "?error=access_denied";
		expect((await fetch(forged)).status).toBe(400);
		expect((await fetch(new URL("/elsewhere?code=1", forged))).status).toBe(404);
		expect(server.requests).toHaveLength(0);
		expect((await browse(address)).status).toBe(200);
		expect(await running).toMatchObject({ ok: true });
	});

	test("if the server returns no state, the path of the address is checked instead", async () => {
		await using server = playOAuth("openrouter");
		const somebody = testUser();
		const running = login(server.flow, somebody, never);
		const address = await somebody.shown;
		const callback = new URL(new URL(address).searchParams.get("callback_url") ?? "");
		expect((await fetch(new URL("/callback?code=stolen", callback))).status).toBe(404);
		expect((await fetch(new URL("/callback/guessed?code=stolen", callback))).status).toBe(404);
		await browse(address);
		expect(await running).toMatchObject({ ok: true, credential: { kind: "api_key" } });
	});

	test("the page executes nothing from the address, and is not cached", async () => {
		await using server = playOAuth("anthropic");
		const somebody = testUser();
		const stop = new AbortController();
		const running = login({ ...server.flow, label: "<script>alert(1)</script>" }, somebody, stop.signal);
		const redirect = new URL(await somebody.shown).searchParams.get("redirect_uri") ?? "";
		const page = await fetch(new URL("/nowhere", redirect));
		expect(await page.text()).not.toContain("<script>");
		expect(page.headers.get("cache-control")).toBe("no-store");
		stop.abort();
		await running;
	});

	test("stopping it stops the wait and frees the port", async () => {
		await using server = playOAuth("anthropic");
		const somebody = testUser();
		const stop = new AbortController();
		const running = login(server.flow, somebody, stop.signal);
		const redirect = new URL(await somebody.shown).searchParams.get("redirect_uri") ?? "";
		stop.abort();
		expect(await running).toMatchObject({ ok: false, problem: "aborted" });
		const gone = await fetch(redirect).catch((error: unknown) => error);
		expect(gone).toBeInstanceOf(Error);
	});

	test("a browser that never returns times out", async () => {
		jest.useFakeTimers();
		await using server = playOAuth("anthropic");
		const somebody = testUser();
		const running = login(server.flow, somebody, never);
		await somebody.shown;
		jest.advanceTimersByTime(limits.loginMs + 1);
		expect(await running).toMatchObject({
			ok: false,
			problem: "expired",
			message: expect.stringContaining("10 minutes"),
		});
	});
	afterEach(() => void jest.useRealTimers());
});

describe("by pasting", () => {
	const forms: [string, (answer: URL) => string][] = [
		["the whole address", (answer) => answer.href],
		["its query", (answer) => answer.search],
		["code#state", (answer) => `${answer.searchParams.get("code")}#${answer.searchParams.get("state")}`],
		["the code alone", (answer) => `  ${answer.searchParams.get("code")}\n`],
	];
	test.each(forms)("%s is accepted", async (_, form) => {
		await using server = playOAuth("anthropic");
		const somebody = testUser();
		const running = login(server.flow, somebody, never);
		somebody.type(form(await answerOf(await somebody.shown)));
		expect(await running).toMatchObject({ ok: true });
	});

	test("an invalid answer, or the answer to another login, is requested again", async () => {
		await using server = playOAuth("anthropic");
		const somebody = testUser();
		const running = login(server.flow, somebody, never);
		const answer = await answerOf(await somebody.shown);
		somebody.type("");
		somebody.type("no idea what this is");
		somebody.type(answer.href.replace(/state=[^&]+/, "state=other"));
		somebody.type(answer.href);
		expect(await running).toMatchObject({ ok: true });
		expect(somebody.notices).toEqual([
			expect.stringContaining("neither"),
			expect.stringContaining("another login"),
		]);
	});

	test("for openrouter the path has to match", async () => {
		await using server = playOAuth("openrouter");
		const somebody = testUser();
		const running = login(server.flow, somebody, never);
		const answer = await answerOf(await somebody.shown);
		somebody.type(answer.href.replace(/\/callback\/[^?]+/, "/callback/other"));
		somebody.type(answer.href);
		expect(await running).toMatchObject({ ok: true });
		expect(somebody.notices).toHaveLength(1);
	});

	test("concurrent answers of browser and user use the code once", async () => {
		await using server = playOAuth("anthropic");
		const somebody = testUser();
		const running = login(server.flow, somebody, never);
		const answer = await answerOf(await somebody.shown);
		somebody.type(answer.href);
		await Promise.allSettled([fetch(answer), fetch(answer)]);
		expect(await running).toMatchObject({ ok: true });
		expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
	});

	test("with a port in use, pasting remains", async () => {
		using other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("busy") });
		await using server = playOAuth("openai-codex");
		const flow = atPort(server.flow, other.port);
		const somebody = testUser();
		const running = login(flow, somebody, never);
		const address = await somebody.shown;
		expect(somebody.seen).toMatchObject([{ pasteOnly: true }]);
		expect(somebody.notices).toEqual([expect.stringContaining(`Port ${other.port} is in use`)]);
		somebody.type((await answerOf(address)).href);
		expect(await running).toMatchObject({ ok: true });
	});

	test("with neither a port nor a user there is nothing to wait for", async () => {
		using other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("busy") });
		await using server = playOAuth("openai-codex");
		const flow = atPort(server.flow, other.port);
		const { paste: _, ...mute } = testUser();
		expect(await login(flow, mute, never)).toMatchObject({
			ok: false,
			message: expect.stringContaining("Cannot listen"),
		});
		const gone = testUser();
		gone.type(undefined);
		expect(await login(flow, gone, never)).toMatchObject({
			ok: false,
			message: expect.stringContaining("none was given"),
		});
	});

	/** The address to which the browser would be redirected. */
	async function answerOf(address: string): Promise<URL> {
		const answer = await fetch(address, { redirect: "manual" });
		return new URL(answer.headers.get("location") ?? "");
	}

	function atPort(flow: OAuthFlow, port: number | undefined): OAuthFlow {
		if (flow.grant.kind !== "authorization_code" || port === undefined) throw new Error("no port to use");
		return { ...flow, grant: { ...flow.grant, redirect: { ...flow.grant.redirect, port } } };
	}
});

describe("with a device code", () => {
	test("a server that needs more time gets it", async () => {
		await using server = playOAuth("xai-oauth", {
			device: ["pending", "slow_down", "slow_down", "pending", "granted"],
		});
		const clock = tickingClock();
		expect(await login(server.flow, testUser(), never, clock)).toMatchObject({ ok: true });
		expect(clock.waits).toEqual([5000, 5000, 10_000, 15_000, 15_000]);
	});

	test("after a server error the request is repeated, more slowly", async () => {
		await using server = playOAuth("xai-oauth");
		server.stumble(server.flow.tokenUrl, () => new Response("<html>", { status: 502 }));
		server.stumble(server.flow.tokenUrl, () => Response.json({ error: "server_error" }, { status: 500 }));
		const clock = tickingClock();
		expect(await login(server.flow, testUser(), never, clock)).toMatchObject({ ok: true });
		expect(clock.waits).toEqual([5000, 10_000, 15_000]);
	});

	test.each([
		["denied", "denied"],
		["expired", "expired"],
	] as const)("%s: the login ends", async (answer, problem) => {
		await using server = playOAuth("kimi-code", { device: ["pending", answer] });
		expect(await login(server.flow, testUser(), never, tickingClock())).toMatchObject({ ok: false, problem });
	});

	test("a code that is never entered expires", async () => {
		await using server = playOAuth("kimi-code", { device: ["pending"] });
		const clock = tickingClock();
		const result = await login(server.flow, testUser(), never, clock);
		expect(result).toMatchObject({ ok: false, problem: "expired" });
		expect(clock.waits.length).toBe(900 / 5);
	});

	test("stopping it stops the polling", async () => {
		await using server = playOAuth("kimi-code", { device: ["pending"], interval: 0.02 });
		const stop = new AbortController();
		const result = login(
			server.flow,
			testUser(() => stop.abort()),
			stop.signal,
		);
		expect(await result).toMatchObject({ ok: false, problem: "aborted" });
	});

	test.each([
		["no code", { user_code: "A", verification_uri: "https://x.test" }],
		["nowhere to go", { device_code: "d", user_code: "A" }],
		[
			"something that is no web address",
			{ device_code: "d", user_code: "A", verification_uri: "file:///etc/passwd" },
		],
	])("an answer with %s is invalid", async (_, body) => {
		await using server = playOAuth("kimi-code");
		const { grant } = server.flow;
		server.stumble(grant.kind === "device_code" ? grant.deviceUrl : "", () => Response.json(body));
		const somebody = testUser();
		expect(await login(server.flow, somebody, never, tickingClock())).toMatchObject({
			ok: false,
			problem: "malformed",
		});
		expect(somebody.seen).toEqual([]);
	});
});

describe("a token endpoint", () => {
	const bad: [string, () => Response, string][] = [
		["that sends no JSON", () => new Response("<html>sorry sk-live-secret"), "malformed"],
		["that sends no token", () => Response.json({ token_type: "bearer" }), "malformed"],
		["that sends a list", () => Response.json([{ access_token: "x" }]), "malformed"],
		["that sends no end of bytes", () => new Response("x".repeat(limits.answerBytes + 1)), "malformed"],
		["that refuses the code", () => Response.json({ error: "invalid_grant" }, { status: 400 }), "revoked"],
		[
			"that refuses the client",
			() => Response.json({ error: { type: "invalid_request", message: "no" } }, { status: 400 }),
			"refused",
		],
		["that is out of order", () => new Response("oops", { status: 503 }), "network"],
		["that sends elsewhere", () => Response.redirect("http://127.0.0.1:9/", 302), "malformed"],
	];
	test.each(bad)("%s ends the login with a reason", async (_, fault, problem) => {
		await using server = playOAuth("anthropic");
		server.stumble(server.flow.tokenUrl, fault);
		const result = await login(server.flow, testUser(browse), never);
		expect(result).toMatchObject({ ok: false, problem });
		expect(JSON.stringify(result)).not.toContain("secret");
	});

	test("that is down ends the login with its name", async () => {
		const server = playOAuth("kimi-code");
		await server[Symbol.asyncDispose]();
		const result = await login(server.flow, testUser(), never, tickingClock());
		expect(result).toMatchObject({
			ok: false,
			problem: "network",
			message: expect.stringContaining(new URL(server.url).host),
		});
	});

	test("may quote the request without exposing secrets to the user", async () => {
		await using server = playOAuth("anthropic");
		server.stumble(server.flow.tokenUrl, ({ parameters }) =>
			Response.json(
				{ error: "bad", error_description: `\u001b[31mnot ${parameters.code}\n${parameters.code_verifier}` },
				{ status: 400 },
			),
		);
		const result = await login(server.flow, testUser(browse), never);
		const { code = "", code_verifier = "" } = server.requests[1]?.parameters ?? {};
		expect(code).not.toBe("");
		expect(result).toMatchObject({ ok: false });
		for (const secret of [code, code_verifier, "\u001b", "\n"])
			expect(result.ok ? "" : result.message).not.toContain(secret);
	});
});
