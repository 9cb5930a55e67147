/** Credentials are found where the AWS tools find them; if there are none, the user learns where to put them. */
import { maskSecrets } from "@tau/utils";
import { describe, expect, test } from "bun:test";

import { credentialsFor } from "./credentials.ts";
import { profileOf } from "./profile.ts";
import {
	agentReply,
	exportCommand,
	find,
	inAnHour,
	makeHome,
	printCredentials,
	refusal,
	serve,
} from "./testing/fake-aws.ts";

const keys = { AWS_ACCESS_KEY_ID: "AKENV", AWS_SECRET_ACCESS_KEY: "env-secret" };

test("keys in the environment count, with their session token", async () => {
	await using home = await makeHome({ credentials: "[default]" });
	await home.installAws({ [exportCommand]: printCredentials("FILE") });
	expect(await find(home.env(keys))).toEqual({ accessKeyId: "AKENV", secretAccessKey: "env-secret" });
	expect(await find(home.env({ ...keys, AWS_SESSION_TOKEN: "t" }))).toMatchObject({ sessionToken: "t" });
	expect(await home.awsCalls()).toEqual([]);
	// Half of a pair does not count.
	expect(await find(home.env({ AWS_ACCESS_KEY_ID: "AKENV" }))).toMatchObject({ accessKeyId: "FILE" });
});

test("credentials are never shown", async () => {
	await using home = await makeHome();
	const secrets = {
		AWS_SECRET_ACCESS_KEY: "unmistakable-secret-1",
		AWS_SESSION_TOKEN: "unmistakable-token-1",
	};
	await find(home.env({ ...keys, ...secrets }));
	expect(maskSecrets("unmistakable-secret-1 and unmistakable-token-1")).not.toContain("unmistakable");
});

test("without any, every searched source is listed", async () => {
	await using home = await makeHome();
	const message = await refusal(home.env());
	for (const place of [
		"AWS_BEARER_TOKEN_BEDROCK",
		"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
		`the profile "default" (no file ${home.path("config")} or ${home.path("credentials")})`,
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"disabled",
	]) {
		expect(message).toContain(place);
	}
});

describe("caching", () => {
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

	test("credentials are cached until shortly before they expire, for each environment", async () => {
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

	test("credentials that are about to expire are requested again", async () => {
		await using agent = agentFor(new Date(Date.now() + 60_000).toISOString());
		await using home = await makeHome();
		const env = home.env({ AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url });
		expect(await find(env)).toMatchObject({ accessKeyId: "K1" });
		expect(await find(env)).toMatchObject({ accessKeyId: "K2" });
	});

	test("concurrent requests share one search, and an aborted one does not end it", async () => {
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
		const profile = await profileOf(env);
		const aborted = credentialsFor(env, profile, controller.signal);
		const other = credentialsFor(env, profile, new AbortController().signal);
		controller.abort(new Error("the user left"));
		expect(await aborted.catch(String)).toContain("the user left");
		release();
		expect(await other).toMatchObject({ accessKeyId: "ONE" });
		expect(agent.seen).toHaveLength(1);
	});

	test("a failure is not cached", async () => {
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
