/** Roles and logins of the user's profiles become credentials, and what stands in their way is told. */
import { describe, expect, test } from "bun:test";

import {
	agentReply,
	find,
	inAnHour,
	makeHome,
	refusal,
	serve,
	stsCredentials,
	stsReply,
	type Home,
} from "./world.test.ts";

describe("roles", () => {
	const base = "aws_access_key_id = BASE\naws_secret_access_key = base-secret\n";

	function roleFile(more: string): Record<string, string> {
		return {
			credentials: `[base]\n${base}`,
			config: `[profile role]\nrole_arn = arn:aws:iam::123:role/dev\n${more}`,
		};
	}

	test("a role is asked for with the keys of its source, signed", async () => {
		await using sts = serve({ "/": () => stsReply("ROLE", inAnHour) });
		await using home = await makeHome(
			roleFile(
				"source_profile = base\nexternal_id = ex\nrole_session_name = me\nduration_seconds = 900\nregion = eu-north-1\n",
			),
		);
		const env = home.env({ AWS_PROFILE: "role", AWS_ENDPOINT_URL_STS: sts.url });
		expect(await find(env)).toEqual(stsCredentials("ROLE", inAnHour));
		const [asked] = sts.seen;
		expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
			Action: "AssumeRole",
			Version: "2011-06-15",
			RoleArn: "arn:aws:iam::123:role/dev",
			RoleSessionName: "me",
			ExternalId: "ex",
			DurationSeconds: "900",
		});
		expect(asked?.headers.get("authorization")).toMatch(
			/^AWS4-HMAC-SHA256 Credential=BASE\/\d{8}\/eu-north-1\/sts\/aws4_request, SignedHeaders=content-type;host;x-amz-date, /,
		);
	});

	test("a role on a role, at whose end are keys", async () => {
		await using sts = serve({
			"/": ({ body, headers }) => {
				const name = new URLSearchParams(body).get("RoleArn")?.split("/")[1] ?? "";
				return stsReply(
					`${name}-by-${/Credential=([^/]+)/.exec(headers.get("authorization") ?? "")?.[1]}`,
					inAnHour,
				);
			},
		});
		await using home = await makeHome({
			config: `[profile a]\nrole_arn = r/a\nsource_profile = b\n[profile b]\nrole_arn = r/b\nsource_profile = b\n${base}`,
		});
		const env = home.env({ AWS_PROFILE: "a", AWS_ENDPOINT_URL: sts.url });
		// The second has keys of its own, and beneath another role these count.
		expect(await find(env)).toMatchObject({ accessKeyId: "a-by-BASE" });
		expect(await find({ ...env, AWS_PROFILE: "b" })).toMatchObject({ accessKeyId: "b-by-BASE" });
	});

	test("a role may start from the environment or the container", async () => {
		await using server = serve({ "/": () => stsReply("ROLE", inAnHour), "/creds": () => agentReply("BOX") });
		await using home = await makeHome(roleFile("credential_source = Environment\n"));
		const env = home.env({ AWS_PROFILE: "role", AWS_ENDPOINT_URL_STS: server.url });
		expect(await refusal(env)).toContain("no credentials to start from: credential_source Environment");
		await home.write("config", "[profile role]\nrole_arn = r\ncredential_source = EcsContainer\n");
		const boxed = { ...env, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${server.url}/creds` };
		expect(await find(boxed)).toEqual(stsCredentials("ROLE", inAnHour));
		expect(server.seen.at(-1)?.headers.get("authorization")).toContain("Credential=BOX/");
		expect(server.seen.at(-1)?.headers.get("x-amz-security-token")).toBe("token-of-BOX==");
	});

	test.each([
		[
			"[profile role]\nrole_arn = r\nsource_profile = b\n[profile b]\nrole_arn = s\nsource_profile = role\n",
			"role -> b -> role",
		],
		["[profile role]\nrole_arn = r\nsource_profile = gone\n", "source_profile gone"],
		["[profile role]\nrole_arn = r\n", "credential_source (none)"],
		["[profile role]\nrole_arn = r\nsource_profile = role\nmfa_serial = arn:mfa\n", "mfa_serial"],
	])("a role that leads nowhere is told: %j", async (config, reason) => {
		await using home = await makeHome({ config });
		expect(await refusal(home.env({ AWS_PROFILE: "role" }))).toContain(reason);
	});

	test("what STS refuses is quoted", async () => {
		const xml =
			"<ErrorResponse><Error><Code>AccessDenied</Code><Message>BASE may not assume dev</Message></Error></ErrorResponse>";
		await using sts = serve({ "/": () => new Response(xml, { status: 403 }) });
		await using home = await makeHome(roleFile("source_profile = base\n"));
		const said = await refusal(home.env({ AWS_PROFILE: "role", AWS_ENDPOINT_URL_STS: sts.url }));
		expect(said).toContain("arn:aws:iam::123:role/dev (HTTP 403): BASE may not assume dev");
	});

	test("a token of a cluster is changed for a role, without a signature", async () => {
		await using sts = serve({ "/": () => stsReply("WEB", inAnHour) });
		await using home = await makeHome({ token: "jwt-of-the-pod\n" });
		const env = home.env({
			AWS_WEB_IDENTITY_TOKEN_FILE: home.path("token"),
			AWS_ROLE_ARN: "arn:aws:iam::1:role/pod",
			AWS_ENDPOINT_URL_STS: sts.url,
		});
		expect(await find(env)).toEqual(stsCredentials("WEB", inAnHour));
		const asked = new URLSearchParams(sts.seen[0]?.body);
		expect(asked.get("Action")).toBe("AssumeRoleWithWebIdentity");
		expect(asked.get("WebIdentityToken")).toBe("jwt-of-the-pod");
		expect(asked.get("RoleSessionName")).toMatch(/^tau-\d+$/);
		expect(sts.seen[0]?.headers.get("authorization")).toBeNull();
		expect(await refusal({ ...env, AWS_WEB_IDENTITY_TOKEN_FILE: home.path("gone") })).toContain(
			home.path("gone"),
		);
	});

	test("a profile may name such a token", async () => {
		await using sts = serve({ "/": () => stsReply("WEB", inAnHour) });
		await using home = await makeHome({ token: "jwt" });
		await home.write(
			"config",
			`[profile pod]\nrole_arn = r\nweb_identity_token_file = ${home.path("token")}\n`,
		);
		const env = home.env({ AWS_PROFILE: "pod", AWS_ENDPOINT_URL_STS: sts.url });
		expect(await find(env)).toMatchObject({ accessKeyId: "WEB" });
	});
});

describe("single sign-on", () => {
	const config = `
[profile sso]
sso_session = corp
sso_account_id = 111122223333
sso_role_name = Dev
[sso-session corp]
sso_region = eu-central-1
sso_start_url = https://corp.awsapps.com/start
[profile old]
sso_start_url = https://corp.awsapps.com/start
sso_region = eu-central-1
sso_account_id = 1
sso_role_name = Old
[profile broken]
sso_session = gone
sso_account_id = 1
sso_role_name = X
`;

	async function login(home: Home, filedUnder: string, expiresAt: string): Promise<void> {
		const hash = new Bun.CryptoHasher("sha1").update(filedUnder).digest("hex");
		await home.write(`sso/cache/${hash}.json`, JSON.stringify({ accessToken: "sso-token-1234", expiresAt }));
	}

	const roleCredentials = {
		accessKeyId: "SSO",
		secretAccessKey: "s",
		sessionToken: "t",
		expiration: Date.parse(inAnHour),
	};

	test("the token of the login is changed for the credentials of the role", async () => {
		await using portal = serve({ "/federation/credentials": () => Response.json({ roleCredentials }) });
		await using home = await makeHome({ config });
		await login(home, "corp", inAnHour);
		await login(home, "https://corp.awsapps.com/start", inAnHour);
		const env = home.env({ AWS_PROFILE: "sso", AWS_ENDPOINT_URL_SSO: portal.url });
		expect(await find(env)).toEqual({
			accessKeyId: "SSO",
			secretAccessKey: "s",
			sessionToken: "t",
			expiresAt: Date.parse(inAnHour),
		});
		expect(portal.seen[0]?.query).toBe("role_name=Dev&account_id=111122223333");
		expect(portal.seen[0]?.headers.get("x-amz-sso_bearer_token")).toBe("sso-token-1234");
		expect(await find({ ...env, AWS_PROFILE: "old" })).toMatchObject({ accessKeyId: "SSO" });
		expect(portal.seen[1]?.query).toBe("role_name=Old&account_id=1");
	});

	test("a login that is missing, has expired or is refused is to be done again", async () => {
		await using portal = serve({ "/federation/credentials": () => new Response("{}", { status: 401 }) });
		await using home = await makeHome({ config });
		const env = home.env({ AWS_PROFILE: "sso", AWS_ENDPOINT_URL_SSO: portal.url });
		const again = "run `aws sso login --profile sso`";
		expect(await refusal(env)).toContain(again);
		await login(home, "corp", "2020-01-01T00:00:00Z");
		expect(await refusal(env)).toContain(again);
		expect(portal.seen).toHaveLength(0);
		await login(home, "corp", inAnHour);
		expect(await refusal(env)).toContain(again);
		expect(portal.seen).toHaveLength(1);
	});

	test("another refusal is quoted, and a session that is not there is told", async () => {
		await using portal = serve({
			"/federation/credentials": () => Response.json({ message: "No access" }, { status: 403 }),
		});
		await using home = await makeHome({ config });
		await login(home, "corp", inAnHour);
		const env = home.env({ AWS_PROFILE: "sso", AWS_ENDPOINT_URL_SSO: portal.url });
		expect(await refusal(env)).toContain('role Dev of profile "sso" (HTTP 403): No access');
		expect(await refusal({ ...env, AWS_PROFILE: "broken" })).toContain("sso_region");
	});
});
