/** Credentials are found where the AWS tools find them, and where there are none the user learns where to put them. */
import { maskSecrets } from "@tau/utils";
import { describe, expect, test } from "bun:test";

import { credentialsFor } from "./credentials.ts";
import { agentReply, find, inAnHour, makeHome, refusal, serve } from "./world.test.ts";

const keys = { AWS_ACCESS_KEY_ID: "AKENV", AWS_SECRET_ACCESS_KEY: "env-secret" };

test("keys in the environment count, with their session token", async () => {
	await using home = await makeHome({
		credentials: "[default]\naws_access_key_id=F\naws_secret_access_key=f",
	});
	expect(await find(home.env(keys))).toEqual({ accessKeyId: "AKENV", secretAccessKey: "env-secret" });
	expect(await find(home.env({ ...keys, AWS_SESSION_TOKEN: "t" }))).toMatchObject({ sessionToken: "t" });
	// Half of a pair is none.
	expect(await find(home.env({ AWS_ACCESS_KEY_ID: "AKENV" }))).toMatchObject({ accessKeyId: "F" });
});

test("what was found is never shown", async () => {
	await using home = await makeHome();
	const secrets = {
		AWS_SECRET_ACCESS_KEY: "unmistakable-secret-1",
		AWS_SESSION_TOKEN: "unmistakable-token-1",
	};
	await find(home.env({ ...keys, ...secrets }));
	expect(maskSecrets("unmistakable-secret-1 and unmistakable-token-1")).not.toContain("unmistakable");
});

test("without any, everything that was looked for is named", async () => {
	await using home = await makeHome();
	const said = await refusal(home.env());
	for (const place of [
		"AWS_BEARER_TOKEN_BEDROCK",
		"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
		`the profile "default" in ${home.path("credentials")} and ${home.path("config")}`,
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_WEB_IDENTITY_TOKEN_FILE",
		"switched off",
	]) {
		expect(said).toContain(place);
	}
});

describe("profiles", () => {
	const credentials = `
[default]
aws_access_key_id = DEFAULT
aws_secret_access_key = default-secret
[work]
aws_access_key_id = WORK
aws_secret_access_key = work-secret
aws_session_token = work-token
`;

	test("the default one and a named one", async () => {
		await using home = await makeHome({ credentials });
		expect(await find(home.env())).toEqual({ accessKeyId: "DEFAULT", secretAccessKey: "default-secret" });
		expect(await find(home.env({ AWS_PROFILE: "work" }))).toEqual({
			accessKeyId: "WORK",
			secretAccessKey: "work-secret",
			sessionToken: "work-token",
		});
	});

	test("keys of the credentials file stand above those of the config file, and files may be elsewhere", async () => {
		await using home = await makeHome({ credentials });
		const config = await home.write(
			"else/where",
			"[profile work]\naws_access_key_id = CONFIG\n[profile two]\naws_access_key_id = TWO\naws_secret_access_key = two",
		);
		const env = { AWS_CONFIG_FILE: config };
		expect(await find(home.env({ ...env, AWS_PROFILE: "work" }))).toMatchObject({ accessKeyId: "WORK" });
		expect(await find(home.env({ ...env, AWS_PROFILE: "two" }))).toMatchObject({ accessKeyId: "TWO" });
		const moved = { AWS_SHARED_CREDENTIALS_FILE: home.path("not-there") };
		expect(await refusal(home.env(moved))).toContain(home.path("not-there"));
	});

	test("keys that change on disk are found at the next request", async () => {
		await using home = await makeHome({ credentials });
		await find(home.env());
		await home.write("credentials", credentials.replace("DEFAULT", "ROTATED"));
		expect(await find(home.env())).toMatchObject({ accessKeyId: "ROTATED" });
	});

	test("a profile that is not there, or says nothing, is named", async () => {
		await using home = await makeHome({ config: "[profile empty]\nregion = us-east-1" });
		expect(await refusal(home.env({ AWS_PROFILE: "wrok" }))).toContain('"wrok" (AWS_PROFILE) is not in');
		expect(await refusal(home.env({ AWS_PROFILE: "empty" }))).toContain(
			'"empty" (AWS_PROFILE) has no credentials',
		);
	});

	test("a file that cannot be read is named", async () => {
		await using home = await makeHome({ "credentials/is-a-directory": "" });
		expect(await refusal(home.env())).toContain(`Cannot read ${home.path("credentials")}`);
	});

	test("a program gives credentials, and its failure is quoted", async () => {
		const reply = `{"Version":1,"AccessKeyId":"PROC","SecretAccessKey":"s","SessionToken":"t","Expiration":"${inAnHour}"}`;
		await using home = await makeHome({
			config: `[profile ok]
credential_process = printf '%s' '${reply}'
[profile bad]
credential_process = echo "no ticket" >&2; exit 7
[profile mute]
credential_process = true
[profile loud]
credential_process = yes
`,
		});
		expect(await find(home.env({ AWS_PROFILE: "ok" }))).toEqual({
			accessKeyId: "PROC",
			secretAccessKey: "s",
			sessionToken: "t",
			expiresAt: Date.parse(inAnHour),
		});
		expect(await refusal(home.env({ AWS_PROFILE: "bad" }))).toContain('profile "bad" failed (7): no ticket');
		expect(await refusal(home.env({ AWS_PROFILE: "mute" }))).toContain(
			'profile "mute" answered without credentials',
		);
		expect(await refusal(home.env({ AWS_PROFILE: "loud" }))).toContain('profile "loud"');
	});
});

describe("keeping", () => {
	function agentFor(expiration: string) {
		let count = 0;
		return serve({
			"/": () => {
				count++;
				return Response.json({
					AccessKeyId: `K${count}`,
					SecretAccessKey: "s",
					Token: "t",
					Expiration: expiration,
				});
			},
		});
	}

	test("credentials are kept until shortly before they expire, for each environment", async () => {
		await using agent = agentFor(inAnHour);
		await using home = await makeHome();
		const env = home.env({ AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url });
		expect(await find(env)).toMatchObject({ accessKeyId: "K1" });
		expect(await find({ ...env })).toMatchObject({ accessKeyId: "K1" });
		expect(await find({ ...env, UNRELATED: "1" })).toMatchObject({ accessKeyId: "K1" });
		expect(await find({ ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN: "other" })).toMatchObject({
			accessKeyId: "K2",
		});
	});

	test("credentials that are about to expire are asked for again", async () => {
		await using agent = agentFor(new Date(Date.now() + 60_000).toISOString());
		await using home = await makeHome();
		const env = home.env({ AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url });
		expect(await find(env)).toMatchObject({ accessKeyId: "K1" });
		expect(await find(env)).toMatchObject({ accessKeyId: "K2" });
	});

	test("requests at the same time share one search, and one that is aborted does not end it", async () => {
		const { promise: released, resolve: release } = Promise.withResolvers<void>();
		await using agent = serve({
			"/": async () => {
				await released;
				return agentReply("ONE");
			},
		});
		await using home = await makeHome();
		const env = home.env({ AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url });
		const controller = new AbortController();
		const aborted = credentialsFor(env, "eu-west-1", controller.signal);
		const other = find(env);
		controller.abort(new Error("the user left"));
		expect(await aborted.catch(String)).toContain("the user left");
		release();
		expect(await other).toMatchObject({ accessKeyId: "ONE" });
		expect(agent.seen).toHaveLength(1);
	});

	test("a failure is not kept", async () => {
		let answers = 0;
		await using agent = serve({
			"/": () => (answers++ === 0 ? new Response("", { status: 500 }) : agentReply("LATER")),
		});
		await using home = await makeHome();
		const env = home.env({ AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url });
		expect(await refusal(env)).toContain("HTTP 500");
		expect(await find(env)).toMatchObject({ accessKeyId: "LATER" });
	});
});
