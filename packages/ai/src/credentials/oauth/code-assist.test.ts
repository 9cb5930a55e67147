/** A Google account gets a project for Code Assist, or a message that says what it lacks. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { maskSecrets } from "@tau/utils";
import { CredentialStore } from "../index.ts";
import { limits } from "../limits.ts";
import { browse, playOAuth, type PlayedOAuth } from "../testing/oauth-server.ts";
import { testUser, type TestUser } from "../testing/test-user.ts";
import { findFlow, login } from "./index.ts";

const provider = "google-gemini-cli";
const never = new AbortController().signal;
const stranger = { allowedTiers: [{ id: "free-tier", isDefault: true }, { id: "standard-tier" }] };
const customer = {
	allowedTiers: [{ id: "standard-tier", isDefault: true, userDefinedCloudaicompanionProject: true }],
};
const operation = "operations/cloudcode.1234";
const done = {
	name: operation,
	done: true,
	response: { cloudaicompanionProject: { id: "given", name: "n" } },
};

/** Logs in, with a clock that advances only in waits. */
async function logIn(
	server: PlayedOAuth,
	{ env = {}, somebody = testUser(browse) }: { env?: Record<string, string>; somebody?: TestUser } = {},
): Promise<{ message: string; waits: number[] }> {
	const waits: number[] = [];
	let now = 1_000_000;
	const clock = {
		now: () => now,
		wait: async (ms: number, signal: AbortSignal) => {
			signal.throwIfAborted();
			waits.push(ms);
			now += ms;
		},
	};
	const flow = findFlow(provider, { ...server.env, ...env });
	if (!flow) throw new Error("there is no login");
	const result = await login(flow, somebody, never, clock);
	return { message: result.ok ? `project ${result.credential.project}` : result.message, waits };
}

function answers(server: PlayedOAuth, method: string, ...bodies: object[]): void {
	for (const body of bodies) server.stumble(`${server.url}/v1internal${method}`, () => Response.json(body));
}

function requestsOf(server: PlayedOAuth): string[] {
	return server.requests.flatMap(({ method, path }) =>
		path.startsWith("/v1internal") ? [`${method} ${path.slice("/v1internal".length)}`] : [],
	);
}

describe("an account that is set up", () => {
	test("has a project, which is requested as Google's own client does", async () => {
		await using server = playOAuth(provider);
		expect(await logIn(server)).toEqual({ message: "project project-of-ada", waits: [] });
		expect(requestsOf(server)).toEqual(["POST :loadCodeAssist"]);
		const { headers, parameters } = server.requests.at(-1) ?? {};
		expect<unknown>(parameters).toEqual({
			metadata: { ideType: "IDE_UNSPECIFIED", platform: "PLATFORM_UNSPECIFIED", pluginType: "GEMINI" },
		});
		expect(headers?.["user-agent"]).toMatch(/^GeminiCLI\/0\.35\.3 \(\w+; \w+\)$/);
		expect(headers?.["x-goog-api-client"]).toStartWith("gl-node/");
		expect(JSON.parse(headers?.["client-metadata"] ?? "")).toMatchObject({ pluginType: "GEMINI" });
	});

	test.each(["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"])(
		"is billed to %s if it has none",
		async (name) => {
			await using server = playOAuth(provider, { codeAssist: { currentTier: { id: "standard-tier" } } });
			expect((await logIn(server, { env: { [name]: "mine" } })).message).toBe("project mine");
			expect<unknown>(server.requests.at(-1)?.parameters).toMatchObject({
				cloudaicompanionProject: "mine",
				metadata: { duetProject: "mine" },
			});
		},
	);

	test("and is hidden by a company's rules counts as a paid one", async () => {
		await using server = playOAuth(provider);
		const error = { code: 403, message: "no", details: [{ reason: "SECURITY_POLICY_VIOLATED" }] };
		const guarded = () => Response.json({ error }, { status: 403 });
		server.stumble(`${server.url}/v1internal:loadCodeAssist`, guarded);
		expect((await logIn(server, { env: { GOOGLE_CLOUD_PROJECT: "mine" } })).message).toBe("project mine");
	});
});

describe("a new account", () => {
	test("is set up, and waited for", async () => {
		await using server = playOAuth(provider, { codeAssist: stranger });
		answers(server, ":onboardUser", { name: operation });
		answers(server, `/${operation}`, { name: operation, done: false }, done);
		const somebody = testUser(browse);
		const { message, waits } = await logIn(server, { somebody, env: { GOOGLE_CLOUD_PROJECT: "mine" } });
		expect({ message, waits }).toEqual({ message: "project given", waits: [5000, 5000] });
		expect(somebody.notices).toEqual([expect.stringContaining("setting up the account")]);
		expect(requestsOf(server).slice(1)).toEqual([
			"POST :onboardUser",
			`GET /${operation}`,
			`GET /${operation}`,
		]);
		const onboarding = server.requests.find(({ path }) => path.endsWith(":onboardUser"))?.parameters;
		// The free tier has its own project and rejects another.
		expect(onboarding).toMatchObject({ tierId: "free-tier" });
		expect(JSON.stringify(onboarding)).not.toContain("mine");
	});

	test("of a company is set up with its project", async () => {
		await using server = playOAuth(provider, { codeAssist: customer });
		answers(server, ":onboardUser", { done: true, response: {} });
		expect((await logIn(server, { env: { GOOGLE_CLOUD_PROJECT: "mine" } })).message).toBe("project mine");
		expect(server.requests.at(-1)?.parameters).toMatchObject({ cloudaicompanionProject: "mine" });
	});

	test("is polled by repeating the request if the operation has no name, also after server errors", async () => {
		await using server = playOAuth(provider, { codeAssist: stranger });
		answers(server, ":onboardUser", { done: false });
		server.stumble(`${server.url}/v1internal:onboardUser`, () => new Response("oops", { status: 502 }));
		answers(server, ":onboardUser", done);
		expect(await logIn(server)).toEqual({ message: "project given", waits: [5000, 5000] });
	});

	test("that is never ready times out", async () => {
		await using server = playOAuth(provider, { codeAssist: stranger });
		answers(server, ":onboardUser", ...Array.from({ length: 99 }, () => ({ done: false })));
		const { message, waits } = await logIn(server);
		expect(message).toContain("Try again later");
		expect(waits.length * limits.onboardingPollMs).toBe(limits.onboardingMs);
	});

	test("is not waited for after the login was stopped", async () => {
		await using server = playOAuth(provider, { codeAssist: stranger });
		const stop = new AbortController();
		server.stumble(`${server.url}/v1internal:onboardUser`, () => {
			stop.abort();
			return Response.json({ done: false });
		});
		expect(await login(server.flow, testUser(browse), stop.signal)).toMatchObject({ problem: "aborted" });
	});
});

describe("an account that cannot be used", () => {
	test.each<[string, object, string]>([
		["lacks a project", { currentTier: { id: "standard-tier" } }, "set GOOGLE_CLOUD_PROJECT"],
		["lacks one for its tier", customer, "set GOOGLE_CLOUD_PROJECT"],
		["is offered nothing", {}, "set GOOGLE_CLOUD_PROJECT"],
		[
			"gets Google's reasons",
			{ ...customer, ineligibleTiers: [{ reasonMessage: "Not in your country." }] },
			"Not in your country.",
		],
		[
			"is to be verified",
			{ ineligibleTiers: [{ reasonCode: "VALIDATION_REQUIRED", validationUrl: "https://verify.test/me" }] },
			"https://verify.test/me",
		],
	])("%s", async (_, codeAssist, text) => {
		await using server = playOAuth(provider, { codeAssist });
		const { message } = await logIn(server);
		expect(message).toContain(text);
		expect(requestsOf(server)).toEqual(["POST :loadCodeAssist"]);
	});

	test.each<[string, () => Response, string]>([
		["an operation fails", () => Response.json({ done: true, error: { message: "No room." } }), "No room."],
		[
			"the server refuses",
			() => Response.json({ error: { code: 403, message: "Not you." } }, { status: 403 }),
			"Not you.",
		],
		["the server is out of order", () => new Response("<html>", { status: 503 }), "is not available"],
	])("%s", async (_, fault, text) => {
		await using server = playOAuth(provider, { codeAssist: stranger });
		server.stumble(`${server.url}/v1internal:onboardUser`, fault);
		expect((await logIn(server)).message).toContain(text);
	});
});

describe("the project", () => {
	let home = "";
	beforeEach(() => {
		home = mkdtempSync(join(tmpdir(), "tau-project-"));
	});
	afterEach(() => rmSync(home, { recursive: true, force: true }));

	test("is stored with the login, sent with its token, and kept by a renewal", async () => {
		await using server = playOAuth(provider);
		let time = Date.now();
		const path = join(home, "agent.db");
		const open = () => CredentialStore.open({ path, env: server.env, now: () => time, onNotice: () => {} });
		using first = await open();
		expect(await first.login(provider, testUser(browse), never)).toMatchObject({ ok: true });
		first[Symbol.dispose]();
		using second = await open();
		const seen: string[] = [];
		for (let turn = 0; turn < 2; turn++) {
			const { token, projectId } = JSON.parse((await second.getApiKey(provider)) ?? "");
			expect(projectId).toBe("project-of-ada");
			expect(maskSecrets(`it is ${token}!`)).not.toContain(token);
			seen.push(token);
			time += 3_600_000;
		}
		expect(new Set(seen).size).toBe(2);
		expect(requestsOf(server)).toEqual(["POST :loadCodeAssist"]);
	});
});
