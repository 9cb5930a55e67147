/** A request to Bedrock goes to the user's region and is authenticated, or the user learns what is missing. */
import { maskSecrets, type Env } from "@tau/utils";
import { describe, expect, test } from "bun:test";

import { modelAt } from "../../testing/asking.ts";
import type { Failure } from "../../types.ts";
import { authorizer } from "../index.ts";
import { inAnHour, makeHome, serve } from "./testing/fake-aws.ts";

const publicUrl = "https://bedrock-runtime.us-east-1.amazonaws.com";
const path = "/model/vendor.model-v1%3A0/converse-stream";
const keys = { AWS_ACCESS_KEY_ID: "AKENV", AWS_SECRET_ACCESS_KEY: "env-secret" };

interface Asked {
	failed: Failure | undefined;
	url: string;
	headers: Headers;
	authorization: string;
}

async function authorize(
	env: Env,
	{ base = publicUrl, id = "vendor.model-v1:0", apiKey = "" } = {},
): Promise<Asked> {
	const request = {
		url: base + path,
		headers: new Headers({ "content-type": "application/json" }),
		body: "{}",
	};
	const model = modelAt(base, "bedrock-converse-stream", { id });
	const signal = new AbortController().signal;
	const failed = await authorizer("aws")(request, { model, env, signal, ...(apiKey ? { apiKey } : {}) });
	return { failed, ...request, authorization: request.headers.get("authorization") ?? "" };
}

describe("region", () => {
	const regions =
		'case "$AWS_PROFILE" in work) echo eu-south-1 ;; bare) exit 1 ;; *) echo eu-north-1 ;; esac';

	test.each<[string, Env, string]>([
		[
			"AWS_REGION before all others",
			{ AWS_REGION: "us-west-2", AWS_DEFAULT_REGION: "ca-central-1" },
			"us-west-2",
		],
		["AWS_DEFAULT_REGION before a profile", { AWS_DEFAULT_REGION: "ca-central-1" }, "ca-central-1"],
		["that of the default profile", {}, "eu-north-1"],
		["that of the chosen profile", { AWS_PROFILE: "work" }, "eu-south-1"],
		["the URL's region if the profile has none", { AWS_PROFILE: "bare" }, "us-east-1"],
	])("%s", async (_name, env, region) => {
		await using home = await makeHome({ config: "[default]" });
		await home.installAws({ "get region": regions });
		const outcome = await authorize(home.env({ ...keys, ...env }));
		expect(outcome.url).toBe(`https://bedrock-runtime.${region}.amazonaws.com${path}`);
		expect(outcome.authorization).toContain(`/${region}/bedrock/aws4_request`);
	});

	test("without any it is the region of the address", async () => {
		await using home = await makeHome();
		const base = "https://bedrock-runtime-fips.eu-central-1.amazonaws.com";
		const outcome = await authorize(home.env(keys), { base });
		expect(outcome.url).toBe(base + path);
		expect(outcome.authorization).toContain("/eu-central-1/bedrock/");
		const moved = await authorize(home.env({ ...keys, AWS_REGION: "us-gov-west-1" }), { base });
		expect(moved.url).toStartWith("https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/");
	});

	test("the AWS CLI is called once, and again when the file has changed", async () => {
		await using home = await makeHome({ config: "[default]" });
		await home.installAws({ "get region": "echo eu-north-1" });
		const regionNow = async () => new URL((await authorize(home.env(keys))).url).host.split(".")[1];
		expect(await regionNow()).toBe("eu-north-1");
		expect(await regionNow()).toBe("eu-north-1");
		expect(await home.awsCalls()).toHaveLength(1);
		await home.installAws({ "get region": "echo eu-north-2" });
		await home.write("config", "[default]\nregion = eu-north-2");
		expect(await regionNow()).toBe("eu-north-2");
	});

	test("an unreadable configuration is reported: a guess could send data to another region", async () => {
		await using home = await makeHome({ config: "[default]\nregion = eu-north-1" });
		const { failed } = await authorize(home.env(keys), { apiKey: "key" });
		expect(failed?.kind).toBe("auth");
		expect(failed?.message).toContain(home.path("config"));
		expect(failed?.message).toContain('"aws" is not on PATH. Set AWS_REGION');
		const outcome = await authorize(home.env({ ...keys, AWS_REGION: "eu-west-3" }), { apiKey: "key" });
		expect(outcome.failed).toBeUndefined();
	});

	test("a resource with a full ARN is in its own region", async () => {
		await using home = await makeHome();
		const id = "arn:aws:bedrock:ap-southeast-2:123456789012:application-inference-profile/abc";
		const outcome = await authorize(home.env({ ...keys, AWS_REGION: "us-west-2" }), { id });
		expect(outcome.url).toStartWith("https://bedrock-runtime.ap-southeast-2.amazonaws.com/");
	});

	test("a custom address stays, and so does the one of the variable", async () => {
		await using home = await makeHome();
		const env = home.env({
			...keys,
			AWS_REGION: "eu-west-3",
			AWS_ENDPOINT_URL_BEDROCK_RUNTIME: "https://vpce-1.example/",
		});
		const own = await authorize(env, { base: "http://127.0.0.1:9/proxy" });
		expect(own.url).toBe(`http://127.0.0.1:9/proxy${path}`);
		expect(own.authorization).toContain("/eu-west-3/bedrock/");
		expect((await authorize(env)).url).toBe(`https://vpce-1.example${path}`);
	});

	test("an invalid region is reported, not connected to", async () => {
		await using home = await makeHome();
		const { failed } = await authorize(home.env({ ...keys, AWS_REGION: "evil.example/#" }));
		expect(failed).toMatchObject({ kind: "auth", message: expect.stringContaining('"evil.example/#"') });
	});
});

describe("authentication", () => {
	test("a signature with the keys, over host, type and body", async () => {
		await using home = await makeHome();
		const outcome = await authorize(home.env({ ...keys, AWS_SESSION_TOKEN: "session" }));
		expect(outcome.failed).toBeUndefined();
		expect(outcome.authorization).toMatch(
			/^AWS4-HMAC-SHA256 Credential=AKENV\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
		);
		expect(outcome.headers.get("x-amz-date")).toMatch(/^\d{8}T\d{6}Z$/);
		expect(outcome.headers.get("x-amz-security-token")).toBe("session");
	});

	test("a Bedrock API key comes first, and no other credentials are searched", async () => {
		await using agent = serve({});
		await using home = await makeHome({ credentials: "[default]" });
		await home.installAws({});
		const env = home.env({
			AWS_BEARER_TOKEN_BEDROCK: "bedrock-api-key-1",
			AWS_PROFILE: "not-there",
			AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url,
		});
		const outcome = await authorize(env);
		expect(outcome).toMatchObject({ failed: undefined, authorization: "Bearer bedrock-api-key-1" });
		expect(outcome.headers.has("x-amz-date")).toBe(false);
		expect(maskSecrets("bedrock-api-key-1")).not.toContain("api-key-1");
		expect((await authorize(env, { apiKey: "given" })).authorization).toBe("Bearer given");
		expect(agent.seen).toHaveLength(0);
		expect(await home.awsCalls()).toEqual([]);
	});

	test("if a proxy signs, any signature is enough", async () => {
		await using home = await makeHome();
		const outcome = await authorize(home.env({ AWS_BEDROCK_SKIP_AUTH: "1" }));
		expect(outcome.authorization).toContain("Credential=dummy-access-key/");
	});

	test("credentials of another service are used", async () => {
		await using agent = serve({
			"/": () =>
				Response.json({ AccessKeyId: "BOX", SecretAccessKey: "s", Token: "box-token", Expiration: inAnHour }),
		});
		await using home = await makeHome();
		const outcome = await authorize(home.env({ AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url }));
		expect(outcome.authorization).toContain("Credential=BOX/");
		expect(outcome.headers.get("x-amz-security-token")).toBe("box-token");
	});

	test("without credentials, the failure lists where they were searched", async () => {
		await using home = await makeHome();
		const { failed, authorization } = await authorize(home.env());
		expect(failed?.kind).toBe("auth");
		expect(failed?.message).toStartWith(
			"No AWS credentials. Looked for AWS_BEARER_TOKEN_BEDROCK; AWS_ACCESS_KEY_ID",
		);
		expect(authorization).toBe("");
	});

	test("an abort during the search for credentials is not a failure", async () => {
		await using agent = serve({ "/": () => Promise.withResolvers<Response>().promise });
		await using home = await makeHome();
		const controller = new AbortController();
		const env = home.env({ AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url });
		const request = { url: publicUrl + path, headers: new Headers(), body: "" };
		const model = modelAt(publicUrl, "bedrock-converse-stream");
		const outcome = authorizer("aws")(request, { model, env, signal: controller.signal });
		controller.abort();
		expect(await outcome).toBeUndefined();
	});
});
