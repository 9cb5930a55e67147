/** Profiles, SSO logins and roles are read by the user's own AWS CLI, a real process in these tests as well. */
import { existsSync } from "node:fs";
import { maskSecrets } from "@tau/utils";
import { describe, expect, test } from "bun:test";
import { authorizer } from "../index.ts";
import { modelAt } from "../../testing/asking.ts";
import { awsConfigure } from "./aws-cli.ts";
import {
	exportCommand,
	find,
	inAnHour,
	makeHome,
	printCredentials,
	refusal,
	serve,
} from "./testing/fake-aws.ts";
import { isRunning } from "../../../../../test/support/processes.ts";

const failing = (message: string, code = 255): string => `echo >&2; echo "${message}" >&2; exit ${code}`;

describe("credentials", () => {
	test("the CLI is called for the selected profile, and its answer is used", async () => {
		await using home = await makeHome();
		await home.installAws({ [exportCommand]: printCredentials("ROLE", inAnHour) });
		expect(await find(home.env({ AWS_PROFILE: "work" }))).toEqual({
			accessKeyId: "ROLE",
			secretAccessKey: "secret-of-ROLE",
			sessionToken: "token",
			expiresAt: Date.parse(inAnHour),
		});
		expect(await home.awsCalls()).toEqual([`configure ${exportCommand},work`]);
		expect(maskSecrets("secret-of-ROLE")).not.toContain("ROLE");
	});

	test.each(["config", "credentials"])("a %s file is enough for the default profile", async (file) => {
		await using home = await makeHome({ [file]: "[default]" });
		await home.installAws({ [exportCommand]: printCredentials("DEFAULT") });
		expect(await find(home.env())).toEqual({ accessKeyId: "DEFAULT", secretAccessKey: "secret-of-DEFAULT" });
	});

	test("files may be elsewhere", async () => {
		await using home = await makeHome();
		await home.installAws({ [exportCommand]: printCredentials("MOVED") });
		expect(await refusal(home.env())).toContain("No AWS credentials");
		const moved = await home.write("else/where", "[default]");
		expect(await find(home.env({ AWS_SHARED_CREDENTIALS_FILE: moved }))).toMatchObject({
			accessKeyId: "MOVED",
		});
	});

	test("the role of a cluster is resolved by the CLI too", async () => {
		await using home = await makeHome();
		const env = home.env({ AWS_WEB_IDENTITY_TOKEN_FILE: "/token", AWS_ROLE_ARN: "arn:aws:iam::1:role/pod" });
		expect(await refusal(env)).toContain('The role in AWS_ROLE_ARN needs the program "aws"');
		await home.installAws({ [exportCommand]: printCredentials("POD", inAnHour) });
		expect(await find(env)).toMatchObject({ accessKeyId: "POD" });
	});

	test("without files and variables no process is started", async () => {
		await using home = await makeHome();
		await home.installAws({ [exportCommand]: printCredentials("X") });
		expect(await refusal(home.env())).toContain("No AWS credentials");
		expect(await home.awsCalls()).toEqual([]);
	});

	test("a default profile without credentials is skipped", async () => {
		await using agent = serve({
			"/": () => Response.json({ AccessKeyId: "BOX", SecretAccessKey: "s", Expiration: inAnHour }),
		});
		await using home = await makeHome({ config: "[default]\nregion = eu-west-1" });
		await home.installAws({
			[exportCommand]: failing("Unable to retrieve credentials: no credentials found", 253),
		});
		const env = home.env({ AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url });
		expect(await find(env)).toMatchObject({ accessKeyId: "BOX" });
		expect(await refusal({ ...env, AWS_PROFILE: "work" })).toContain(
			'AWS profile "work" returned no credentials: Unable to retrieve credentials: no credentials found',
		);
	});
});

describe("failures", () => {
	test("without the program the user learns its name and the alternatives", async () => {
		await using home = await makeHome({ config: "[default]" });
		const chosen = await refusal(home.env({ AWS_PROFILE: "work" }));
		expect(chosen).toContain('AWS profile "work" needs the program "aws", which is not on PATH');
		for (const way of ["Install the AWS CLI", "AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID"]) {
			expect(chosen).toContain(way);
		}
		expect(await refusal(home.env())).toContain(
			'the profile "default" (the program "aws", which reads it, is not on PATH)',
		);
	});

	test("an outdated version is reported", async () => {
		await using home = await makeHome();
		await home.installAws({});
		expect(await refusal(home.env({ AWS_PROFILE: "work" }))).toContain(
			'which this version of "aws" does not have. Install the AWS CLI, version 2.9 or newer',
		);
	});

	test("its message is quoted, with the command that helps", async () => {
		await using home = await makeHome();
		await home.installAws({
			[exportCommand]: `case "$AWS_PROFILE" in
				sso) ${failing("Error loading SSO Token: Token for corp does not exist")} ;;
				mfa) ${failing("Enter MFA code for arn:aws:iam::1:mfa/me:")} ;;
				gone) ${failing("The config profile (gone) could not be found", 253)} ;;
				mute) exit 3 ;;
				odd) echo "not JSON" ;;
				loud) while :; do echo "no end of words"; done ;;
			esac`,
		});
		const message = (profile: string) => refusal(home.env({ AWS_PROFILE: profile }));
		expect(await message("sso")).toContain(
			"Token for corp does not exist. Run `aws sso login --profile sso`",
		);
		expect(await message("mfa")).toEndWith(
			'Run `eval "$(aws configure export-credentials --profile mfa --format env)"`',
		);
		expect(await message("gone")).toEndWith("The config profile (gone) could not be found");
		expect(await message("mute")).toContain('AWS profile "mute" returned no credentials: aws exited with 3');
		expect(await message("odd")).toContain("`aws configure export-credentials` answered without credentials");
		expect(await message("loud")).toContain('AWS profile "loud"');
	});
});

describe("caching", () => {
	test("keys that do not expire are cached until the file changes", async () => {
		await using home = await makeHome({ credentials: "[default]" });
		await home.installAws({ [exportCommand]: printCredentials("OLD") });
		expect(await find(home.env())).toMatchObject({ accessKeyId: "OLD" });
		await home.installAws({ [exportCommand]: printCredentials("ROTATED") });
		expect(await find(home.env())).toMatchObject({ accessKeyId: "OLD" });
		await home.write("credentials", "[default]\naws_access_key_id = ROTATED");
		expect(await find(home.env())).toMatchObject({ accessKeyId: "ROTATED" });
	});

	test("a failure is not cached: after a login the next request works", async () => {
		await using home = await makeHome();
		const env = home.env({ AWS_PROFILE: "sso" });
		await home.installAws({ [exportCommand]: failing("Error loading SSO Token: Token has expired") });
		expect(await refusal(env)).toContain("aws sso login");
		await home.installAws({ [exportCommand]: printCredentials("BACK", inAnHour) });
		expect(await find(env)).toMatchObject({ accessKeyId: "BACK" });
	});
});

describe("stopping", () => {
	async function waitingAws(): Promise<Awaited<ReturnType<typeof makeHome>>> {
		const home = await makeHome({ config: "[default]" });
		// A child of the CLI that does not end by itself, as a credential program that waits for its user.
		const wait = 'command -p sleep 300 & echo $! > "$0.child"; wait';
		await home.installAws({ [exportCommand]: wait, "get region": "echo eu-west-1" });
		return home;
	}

	async function childOf(home: { env(): { PATH?: string | undefined } }): Promise<number> {
		const file = `${home.env().PATH}/aws.child`;
		const deadline = Date.now() + 60_000;
		while (!existsSync(file) || (await Bun.file(file).text()).trim() === "") {
			if (Date.now() > deadline) throw new Error("the fake aws did not start within 40 s");
			await Bun.sleep(5);
		}
		return Number(await Bun.file(file).text());
	}

	async function ended(pid: number): Promise<void> {
		const deadline = Date.now() + 60_000;
		while (isRunning(pid)) {
			if (Date.now() > deadline) throw new Error(`process ${pid} outlived the request`);
			await Bun.sleep(5);
		}
	}

	test("the CLI and its children end when the last waiting request is aborted", async () => {
		await using home = await waitingAws();
		const [first, second] = [new AbortController(), new AbortController()];
		const requests = [first, second].map(async ({ signal }) => {
			const url = "https://bedrock-runtime.us-east-1.amazonaws.com";
			const request = { url, headers: new Headers(), body: "" };
			const model = modelAt(url, "bedrock-converse-stream");
			return authorizer("aws")(request, { model, env: home.env(), signal });
		});
		const child = await childOf(home);
		first.abort();
		expect(await requests[0]).toBeUndefined();
		expect(isRunning(child)).toBe(true);
		second.abort();
		expect(await requests[1]).toBeUndefined();
		await ended(child);
		expect((await home.awsCalls()).filter((call) => call.includes("export"))).toHaveLength(1);
	});

	test("a CLI that does not finish is killed, and the message names it", async () => {
		await using home = await waitingAws();
		const { signal } = new AbortController();
		const outcome = awsConfigure(exportCommand.split(" "), home.env(), signal, 2000).catch(String);
		const child = await childOf(home);
		expect(await outcome).toContain(`\`aws configure ${exportCommand}\` did not finish within 2 seconds`);
		await ended(child);
	});

	test("an unusable region ends the search for credentials", async () => {
		await using home = await waitingAws();
		await home.installAws({
			[exportCommand]: 'command -p sleep 300 & echo $! > "$0.child"; wait',
			"get region": 'until [ -s "$0.child" ]; do :; done; echo evil.example/#',
		});
		const url = "https://bedrock-runtime.us-east-1.amazonaws.com";
		const model = modelAt(url, "bedrock-converse-stream");
		const { signal } = new AbortController();
		const request = { url, headers: new Headers(), body: "" };
		const failed = await authorizer("aws")(request, { model, env: home.env(), signal });
		expect(failed?.message).toContain("is not an AWS region name");
		await ended(await childOf(home));
	});
});
