/** Authentication of Vertex AI: by a key, by the files of gcloud, or by the current machine. */
import { maskSecrets } from "@tau/utils";
import { describe, expect, test } from "bun:test";

import { fillAddress, locationFrom, projectFrom } from "./address.ts";
import {
	authorize,
	gcloudFile,
	makeHome,
	serveTokens,
	token,
	userFile,
	vertexUrl,
	type TokenServer,
} from "./testing/token-server.ts";

const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const { privateKey, publicKey } = await crypto.subtle.generateKey(
	{ ...algorithm, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
	true,
	["sign", "verify"],
);
const pkcs8 = Buffer.from(await crypto.subtle.exportKey("pkcs8", privateKey)).toString("base64");
const pem = `-----BEGIN PRIVATE KEY-----\n${pkcs8.replaceAll(/.{64}/g, "$&\n")}\n-----END PRIVATE KEY-----\n`;

function serviceFile({ url }: Pick<TokenServer, "url">, change: object = {}): object {
	return {
		type: "service_account",
		project_id: "project-of-the-key",
		private_key_id: "key-1",
		private_key: pem,
		client_email: `robot-${crypto.randomUUID()}@example.iam.gserviceaccount.com`,
		token_uri: url,
		...change,
	};
}

test("a key is sent unchanged, to the address without a project", async () => {
	const { url, headers, failure } = await authorize(
		{ GOOGLE_CLOUD_LOCATION: "us-east5" },
		{ apiKey: "the-key" },
	);
	expect(failure).toBeUndefined();
	expect(headers.get("x-goog-api-key")).toBe("the-key");
	expect(headers.has("authorization")).toBe(false);
	expect(url).toStartWith("https://aiplatform.googleapis.com/v1/");
});

describe("a service account", () => {
	test("signs its request for a token, and the token is used until shortly before its end", async () => {
		await using server = serveTokens();
		await using home = await makeHome();
		const content = serviceFile(server) as Record<string, string>;
		const env = { ...home.env, GOOGLE_APPLICATION_CREDENTIALS: await home.write("key.json", content) };
		const first = await authorize({ ...env, GOOGLE_CLOUD_LOCATION: "europe-west4" });
		expect(first.failure).toBeUndefined();
		expect(first.headers.get("authorization")).toBe("Bearer token-1-of-the-test");
		expect(first.url).toBe(
			"https://europe-west4-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west4/publishers/google/models/m:x",
		);
		expect((await authorize(env)).headers.get("authorization")).toBe("Bearer token-1-of-the-test");
		const [form] = server.forms;
		expect(server.forms).toHaveLength(1);
		expect(form?.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
		const [header = "", claims = "", signature = ""] = form?.get("assertion")?.split(".") ?? [];
		const signed = Buffer.from(`${header}.${claims}`);
		const isSigned = await crypto.subtle.verify(
			algorithm.name,
			publicKey,
			Buffer.from(signature, "base64url"),
			signed,
		);
		expect(isSigned).toBe(true);
		const read = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());
		expect(read(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "key-1" });
		const payload = read(claims) as Record<string, unknown>;
		expect(payload).toEqual({
			iss: content.client_email,
			scope: "https://www.googleapis.com/auth/cloud-platform",
			aud: server.url,
			iat: expect.any(Number),
			exp: Number(payload.iat) + 3600,
		});
		expect(Math.abs(Number(payload.iat) - Date.now() / 1000)).toBeLessThan(60);
	});

	test("requests a new token when the old one is about to expire", async () => {
		await using server = serveTokens((_form, number) => token(`short-token-${number}`, 59));
		await using home = await makeHome();
		await home.write(gcloudFile, serviceFile(server));
		await authorize(home.env);
		expect((await authorize(home.env)).headers.get("authorization")).toBe("Bearer short-token-2");
	});

	test("provides the project if no variable does", async () => {
		await using server = serveTokens();
		await using home = await makeHome();
		await home.write(gcloudFile, serviceFile(server));
		const { url } = await authorize({ ...home.env, GOOGLE_CLOUD_PROJECT: "" });
		expect(url).toContain("/projects/project-of-the-key/locations/global/");
	});
});

describe("a user of gcloud", () => {
	test("gets a token for the refresh token, and names the billed project", async () => {
		await using server = serveTokens();
		await using home = await makeHome();
		const content = userFile(server.url, { quota_project_id: "payer" });
		await home.write(gcloudFile, content);
		const { headers, failure } = await authorize(home.env);
		expect(failure).toBeUndefined();
		expect(headers.get("authorization")).toBe("Bearer token-1-of-the-test");
		expect(maskSecrets("it was token-1-of-the-test")).toBe("it was …[masked]");
		expect(headers.get("x-goog-user-project")).toBe("payer");
		const {
			token_uri: _uri,
			type: _type,
			quota_project_id: _payer,
			...secrets
		} = content as Record<string, string>;
		expect(Object.fromEntries(server.forms[0] ?? [])).toEqual({ grant_type: "refresh_token", ...secrets });
	});

	test("is found by CLOUDSDK_CONFIG, and billed by GOOGLE_CLOUD_QUOTA_PROJECT", async () => {
		await using server = serveTokens();
		await using home = await makeHome();
		await home.write("other/application_default_credentials.json", userFile(server.url));
		const { headers } = await authorize({
			...home.env,
			CLOUDSDK_CONFIG: `${home.path}/other`,
			GOOGLE_CLOUD_QUOTA_PROJECT: "mine",
		});
		expect(headers.get("x-goog-user-project")).toBe("mine");
	});

	test("without any project learns which variable to set", async () => {
		await using server = serveTokens();
		await using home = await makeHome();
		await home.write(gcloudFile, userFile(server.url));
		const { failure } = await authorize({ ...home.env, GOOGLE_CLOUD_PROJECT: undefined });
		expect(failure).toMatchObject({ kind: "auth" });
		expect(failure?.message).toContain("GOOGLE_CLOUD_PROJECT");
	});
});

describe("an unusable file is named, with advice", () => {
	test.each<[string, unknown, string]>([
		["no JSON", "{", "are not valid JSON"],
		["another kind", { type: "external_account" }, 'of type "external_account", which Tau does not support'],
		["no kind", {}, 'of type ""'],
		["no refresh token", userFile("https://x.test", { refresh_token: "" }), "have no refresh_token"],
		[
			"no e-mail",
			serviceFile({ url: "https://x.test" }, { client_email: undefined }),
			"have no client_email",
		],
		["an open token server", userFile("http://tokens.example.com/"), "must be an https:// URL"],
		["a token server that is no address", userFile("tokens"), "must be an https:// URL"],
		[
			"a key of another form",
			serviceFile({ url: "https://x.test" }, { private_key: "abc" }),
			"not a PKCS #8 key",
		],
		[
			"a broken key",
			serviceFile({ url: "https://x.test" }, { private_key: pem.replace(/M.{99}/s, "") }),
			"The private_key in",
		],
		["a huge file", " ".repeat(300_000), "too large"],
	])("%s", async (_name, content, expected) => {
		await using home = await makeHome();
		const GOOGLE_APPLICATION_CREDENTIALS = await home.write("key.json", content);
		const { failure } = await authorize({ ...home.env, GOOGLE_APPLICATION_CREDENTIALS });
		expect(failure?.kind).toBe("auth");
		expect(failure?.message).toContain(expected);
		expect(failure?.message).toContain("~/key.json (GOOGLE_APPLICATION_CREDENTIALS)");
		expect(failure?.message).not.toContain(pkcs8.slice(0, 40));
	});

	test("there are no credentials", async () => {
		await using home = await makeHome();
		const missing = { ...home.env, GOOGLE_APPLICATION_CREDENTIALS: "~/nowhere.json" };
		expect((await authorize(missing)).failure).toMatchObject({
			kind: "auth",
			message:
				"Cannot read the Google Cloud credentials in ~/nowhere.json (GOOGLE_APPLICATION_CREDENTIALS): file not found",
		});
		const folder = await authorize({ ...home.env, GOOGLE_APPLICATION_CREDENTIALS: home.path });
		expect(folder.failure?.message).toEndWith("it is not a file");
	});
});

describe("a token server", () => {
	async function failureOf(respond: Parameters<typeof serveTokens>[0]) {
		await using server = serveTokens(respond);
		await using home = await makeHome();
		await home.write(gcloudFile, userFile(server.url));
		const { failure, headers } = await authorize(home.env);
		expect(headers.has("authorization")).toBe(false);
		return failure;
	}

	test("that refuses is quoted without the secret", async () => {
		const failure = await failureOf((form) =>
			Response.json(
				{ error: "invalid_grant", error_description: `Token ${form.get("refresh_token")} has been revoked.` },
				{ status: 400 },
			),
		);
		expect(failure).toMatchObject({ kind: "auth", status: 400 });
		expect(failure?.message).toContain("for ~/.config/gcloud/application_default_credentials.json");
		expect(failure?.message).toContain("invalid_grant: Token …[masked] has been revoked.");
	});

	test.each<[string, () => Response, string]>([
		["is overloaded", () => new Response("busy", { status: 503 }), "overloaded"],
		["requests a wait", () => new Response("", { status: 429 }), "rate_limit"],
		["gives no token", () => Response.json({}), "unknown"],
		["gives a page", () => new Response("<title>Sign in</title>"), "unknown"],
		["redirects", () => Response.redirect("https://example.com/"), "unknown"],
		["does not like the form", () => Response.json({ error: "invalid_request" }, { status: 400 }), "auth"],
		["rejects the client", () => Response.json({ error: "invalid_client" }, { status: 401 }), "auth"],
	])("that %s gives a failure", async (_name, respond, kind) => {
		const failure = await failureOf(respond);
		expect(failure?.kind).toBe(kind as "auth");
		expect(failure?.message).toStartWith("Google returned no token for ~/.config/gcloud/");
	});

	test("that is unreachable is a network failure", async () => {
		await using home = await makeHome();
		await home.write(gcloudFile, userFile("http://127.0.0.1:1/token"));
		expect((await authorize(home.env)).failure).toMatchObject({ kind: "network" });
	});

	test("is requested once by concurrent requests; an aborted one does not affect the others", async () => {
		const { promise: requested, resolve: arrived } = Promise.withResolvers<void>();
		const { promise: answer, resolve: give } = Promise.withResolvers<Response>();
		await using server = serveTokens(() => {
			arrived();
			return answer;
		});
		await using home = await makeHome();
		await home.write(gcloudFile, userFile(server.url));
		// The first one has begun the exchange, so that it waits for it whenever the other one reads the file.
		const stayed = authorize(home.env);
		await requested;
		const leaver = new AbortController();
		const left = authorize(home.env, { signal: leaver.signal });
		leaver.abort();
		expect((await left).headers.has("authorization")).toBe(false);
		give(token("the-shared-token"));
		expect((await stayed).headers.get("authorization")).toBe("Bearer the-shared-token");
		expect(server.forms).toHaveLength(1);
	});

	test("is cancelled when no request waits any more, and requested again by the next", async () => {
		const { promise: requested, resolve: arrived } = Promise.withResolvers<void>();
		await using server = serveTokens((_form, number) => {
			arrived();
			return number === 1 ? Promise.withResolvers<Response>().promise : token("the-second-token");
		});
		await using home = await makeHome();
		await home.write(gcloudFile, userFile(server.url));
		const caller = new AbortController();
		const pending = authorize(home.env, { signal: caller.signal });
		await requested;
		caller.abort();
		expect((await pending).failure).toBeDefined();
		await server.abandoned;
		expect((await authorize(home.env)).headers.get("authorization")).toBe("Bearer the-second-token");
	});
});

describe("a machine of Google Cloud", () => {
	function serveMetadata(headers: Record<string, string>, tokenReply = () => token("token-of-the-machine")) {
		return Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch(request) {
				if (request.headers.get("metadata-flavor") !== "Google") return new Response("", { status: 403 });
				const isToken = request.url.endsWith("/computeMetadata/v1/instance/service-accounts/default/token");
				const reply = isToken ? tokenReply() : new Response("project-of-the-machine\n");
				for (const [name, value] of Object.entries(headers)) reply.headers.set(name, value);
				return reply;
			},
		});
	}

	test("gets token and project from its metadata server", async () => {
		await using server = serveMetadata({ "metadata-flavor": "Google" });
		await using home = await makeHome();
		const env = { HOME: home.path, GCE_METADATA_HOST: server.url.host };
		const { headers, url, failure } = await authorize(env);
		expect(failure).toBeUndefined();
		expect(headers.get("authorization")).toBe("Bearer token-of-the-machine");
		expect(url).toContain("/projects/project-of-the-machine/");
	});

	test.each<[string, Record<string, string>, () => Response]>([
		["does not say that it is Google's", {}, () => token("token-of-a-stranger")],
		["has no account", { "metadata-flavor": "Google" }, () => new Response("", { status: 404 })],
	])("is not believed in where the server %s", async (_name, headers, reply) => {
		await using server = serveMetadata(headers, reply);
		await using home = await makeHome();
		const { failure } = await authorize({ ...home.env, GCE_METADATA_HOST: server.url.host });
		expect(failure?.kind).toBe("auth");
		for (const way of ["gcloud auth", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_API_KEY"]) {
			expect(failure?.message).toContain(way);
		}
	});

	test("that does not respond times out", async () => {
		await using server = Bun.serve({ port: 0, fetch: () => Promise.withResolvers<Response>().promise });
		await using home = await makeHome();
		const { failure } = await authorize({ ...home.env, GCE_METADATA_HOST: server.url.host });
		expect(failure?.message).toContain("No Google Cloud credentials");
		await server.stop(true);
	});
});

describe("the address", () => {
	test.each([
		["global", "https://aiplatform.googleapis.com"],
		["us", "https://aiplatform.us.rep.googleapis.com"],
		["us-central1", "https://us-central1-aiplatform.googleapis.com"],
	])("of %s is at %s", (location, host) => {
		const expected = `${host}/v1/projects/p/locations/${location}/publishers/google/models/m:x`;
		expect(fillAddress(vertexUrl, location, "p")).toBe(expected);
		expect(fillAddress(vertexUrl.replace("{location}-", ""), location, "p")).toBe(expected);
	});

	test("of a custom server is unchanged", () => {
		const own = "http://127.0.0.1:1/aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/x";
		expect(fillAddress(own, "us", "a/b")).toBe(
			"http://127.0.0.1:1/aiplatform.googleapis.com/v1/projects/a%2Fb/locations/us/x",
		);
	});

	test("is built from the first variable that is set", () => {
		expect(projectFrom({ GOOGLE_CLOUD_PROJECT: " ", GCP_PROJECT: "b", GCLOUD_PROJECT: "c" })).toBe("b");
		expect(projectFrom({ GCLOUD_PROJECT: "c" })).toBe("c");
		expect(projectFrom({})).toBeUndefined();
		expect(locationFrom({ GOOGLE_CLOUD_LOCATION: "b", GOOGLE_VERTEX_LOCATION: "a" })).toBe("a");
		expect(locationFrom({ VERTEX_LOCATION: "c" })).toBe("c");
		expect(locationFrom({})).toBe("global");
	});
});
