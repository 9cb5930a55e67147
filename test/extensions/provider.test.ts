/** Providers of extensions in the real, compiled program: login in the terminal, requests, token refresh in later runs. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { openTau } from "../interactive/driver.ts";
import { launch, type Launched } from "../support/launch.ts";

interface TokenServer extends AsyncDisposable {
	url: string;
	asked: string[];
}

function tokenServer(): TokenServer {
	const asked: string[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const given = await request.text();
			asked.push(given);
			return Response.json({ access: `access-for-${given}`, refresh: `refresh-of-${given}` });
		},
	});
	return { url: server.url.href, asked, [Symbol.asyncDispose]: () => server.stop(true) };
}

/** A provider with a login whose first token is about to expire. */
function corp(tau: Launched, { url }: TokenServer): string {
	const file = join(tau.home, "..", "corp.ts");
	writeFileSync(
		file,
		`import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
		import type { OAuthCredentials, OAuthLoginCallbacks } from "@earendil-works/pi-ai/oauth";
		import { getModel } from "@mariozechner/pi-ai/compat";
		import { stream } from "@oh-my-pi/pi-ai/api/anthropic-messages";
		async function ask(given: string, ms: number): Promise<OAuthCredentials> {
			const answer = await fetch(${JSON.stringify(url)}, { method: "POST", body: given });
			return { ...(await answer.json()), expires: Date.now() + ms };
		}
		export default function (pi: ExtensionAPI) {
			if (typeof getModel !== "function" || typeof stream !== "function") throw new Error("no imports");
			pi.registerProvider("corp", {
				baseUrl: ${JSON.stringify(tau.played.anthropicUrl)}, api: "anthropic-messages",
				models: [{ id: "big", name: "Big", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 100000, maxTokens: 1000 }],
				oauth: {
					name: "Corporate AI (SSO)",
					async login(callbacks: OAuthLoginCallbacks) {
						callbacks.onDeviceCode({ userCode: "AB-12", verificationUri: "https://sso.example/device" });
						return ask(await callbacks.onPrompt({ message: "Enter the badge:" }), 1000);
					},
					refreshToken: (credentials: OAuthCredentials) => ask(credentials.refresh, 3_600_000),
					getApiKey: (credentials: OAuthCredentials) => credentials.access,
				},
			});
		}`,
	);
	return file;
}

test("a user logs in to the provider of an extension, and later runs use refreshed tokens", async () => {
	await using tokens = tokenServer();
	await using home = await launch({ steps: ["Hello from corp.", "Again."] });
	const extension = corp(home, tokens);
	const run = ["-p", "--model", "corp/big", "-e", extension, "hi"];
	const before = await home.run(run);
	expect(before.code).not.toBe(0);
	expect(before.err).toContain("/login corp");
	{
		await using tau = await openTau(
			{ steps: [] },
			{ home, args: ["-e", extension], env: { TAU_NO_BROWSER: "1" } },
		);
		await tau.until("played-1");
		tau.type("/login corporate");
		tau.press("enter");
		await tau.until("Corporate AI (SSO)");
		tau.press("enter");
		await tau.until("AB-12");
		await tau.until("Enter the badge:");
		tau.type("badge-7\r");
		await tau.until("Logged in to Corporate AI (SSO)");
	}
	const { code, out, err } = await home.run(run);
	expect({ code, out, err }).toEqual({ code: 0, out: "Hello from corp.\n", err: "" });
	expect(tokens.asked).toEqual(["badge-7", "refresh-of-badge-7"]);
	// The refreshed token lasts: the next run does not refresh.
	await home.run(run);
	expect(tokens.asked).toHaveLength(2);
	const keys = home.played.requests.map(({ headers }) => headers["x-api-key"]);
	expect(keys).toEqual(["access-for-refresh-of-badge-7", "access-for-refresh-of-badge-7"]);
});

test("tau login and tau logout support the provider of an extension, and print its name", async () => {
	await using tokens = tokenServer();
	await using home = await launch({ steps: ["Hello from corp."] });
	const extension = ["-e", corp(home, tokens)];
	const unknown = await home.run(["login", "corp"]);
	expect(unknown.err).toContain('Unknown provider "corp".');
	expect((await home.run(["logout", "corp", ...extension])).out).toBe(
		"Nothing is stored for Corporate AI (SSO).\n",
	);
	const login = await home.run(["login", "corp", ...extension], {
		stdin: "badge-9\n",
		env: { TAU_NO_BROWSER: "1" },
	});
	expect(login.out).toContain("AB-12");
	expect(login.out).toEndWith("Logged in to Corporate AI (SSO).\n");
	expect(login.code).toBe(0);
	const { out } = await home.run(["-p", "--model", "corp/big", ...extension, "hi"]);
	expect(out).toBe("Hello from corp.\n");
	expect((await home.run(["logout", "corp", ...extension])).out).toBe(
		"Removed 1 credential for Corporate AI (SSO).\n",
	);
});

test("a model that the server of an extension lists can be used at once, by its name or again with -c", async () => {
	await using home = await launch({ steps: ["From the list.", "Again."] });
	const file = join(home.home, "..", "live.ts");
	writeFileSync(
		file,
		`export default (pi) => pi.registerProvider("live", {
			baseUrl: ${JSON.stringify(home.played.anthropicUrl)}, api: "anthropic-messages", apiKey: "k1",
			fetchDynamicModels: async () => {
				await new Promise((resolve) => setTimeout(resolve, 50));
				return [{ id: "listed-1" }];
			},
		});`,
	);
	const run = (...args: string[]) => home.run(["-p", "-e", file, ...args]);
	expect(await run("--model", "live/listed-1", "hi")).toMatchObject({ code: 0, out: "From the list.\n" });
	expect(await run("-c", "and")).toMatchObject({ code: 0, out: "Again.\n" });
	expect(home.played.requests.at(-1)?.rawBody).toContain("listed-1");
	const { out } = await home.run(["--list-models", "listed", "-e", file]);
	expect(out).toContain("listed-1");
});
