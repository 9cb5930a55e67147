/** Containers and machines with a role provide its credentials, to us only. */
import { describe, expect, test } from "bun:test";
import { agentCredentials, agentReply, find, makeHome, refusal, serve } from "./testing/fake-aws.ts";

describe("containers and machines", () => {
	test("the agent beside a container is queried, with the token that it expects", async () => {
		await using agent = serve({ "/v2/credentials/x": () => agentReply("BOX") });
		await using home = await makeHome({ token: "from-file\n" });
		const env = home.env({
			AWS_CONTAINER_CREDENTIALS_FULL_URI: `${agent.url}/v2/credentials/x`,
			AWS_CONTAINER_AUTHORIZATION_TOKEN: "Basic from-variable",
		});
		expect(await find(env)).toEqual(agentCredentials("BOX"));
		await find({ ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: home.path("token") });
		expect(agent.seen.map(({ headers }) => headers.get("authorization"))).toEqual([
			"Basic from-variable",
			"from-file",
		]);
		expect(await refusal({ ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "/not/there" })).toContain(
			"/not/there",
		);
	});

	test.each([
		["http://example.com/creds", "neither https nor local to this machine"],
		["no address", "neither https nor local to this machine"],
	])("%s does not get the token", async (uri, reason) => {
		await using home = await makeHome();
		expect(await refusal(home.env({ AWS_CONTAINER_CREDENTIALS_FULL_URI: uri }))).toContain(reason);
	});

	test("an agent that refuses, sends nonsense, redirects or never ends is reported", async () => {
		await using other = serve({});
		await using agent = serve({
			"/refuses": () => new Response("no role", { status: 400 }),
			"/nonsense": () => new Response("<html>"),
			"/elsewhere": () => Response.redirect(other.url),
			"/endless": () => new Response("x".repeat(200_000)),
		});
		await using home = await makeHome();
		const at = (path: string) => refusal(home.env({ AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url + path }));
		expect(await at("/refuses")).toContain("(HTTP 400): no role");
		expect(await at("/nonsense")).toContain("without credentials");
		expect(await at("/elsewhere")).toContain("HTTP 302");
		expect(await at("/endless")).toContain("more than 65536 bytes");
		expect(other.seen).toHaveLength(0);
	});

	const metadata = {
		"/latest/api/token": () => new Response("imds-token"),
		"/latest/meta-data/iam/security-credentials/": () => new Response("my-role\n"),
		"/latest/meta-data/iam/security-credentials/my-role": () => agentReply("EC2"),
	};

	test("the metadata service of a machine is queried last, by IMDSv2", async () => {
		await using service = serve(metadata);
		await using home = await makeHome();
		const env = home.env({ AWS_EC2_METADATA_SERVICE_ENDPOINT: `${service.url}/` });
		expect(await refusal(env)).toContain("disabled");
		expect(service.seen).toHaveLength(0);
		expect(await find({ ...env, AWS_EC2_METADATA_DISABLED: "false" })).toEqual(agentCredentials("EC2"));
		const [first, ...others] = service.seen;
		expect([first?.method, first?.headers.get("x-aws-ec2-metadata-token-ttl-seconds")]).toEqual([
			"PUT",
			"300",
		]);
		expect(others.map(({ headers }) => headers.get("x-aws-ec2-metadata-token"))).toEqual([
			"imds-token",
			"imds-token",
		]);
	});

	test.each([
		[
			"a service without a role",
			{ ...metadata, "/latest/meta-data/iam/security-credentials/": () => new Response("", { status: 404 }) },
		],
		["a service without tokens", { "/latest/api/token": () => new Response("", { status: 403 }) }],
		["a service that is silent", { "/latest/api/token": () => Promise.withResolvers<Response>().promise }],
	])("%s is not a source", async (_name, routes) => {
		await using service = serve(routes);
		await using home = await makeHome();
		const env = { AWS_EC2_METADATA_SERVICE_ENDPOINT: service.url, AWS_EC2_METADATA_DISABLED: undefined };
		expect(await refusal(home.env(env))).toContain("no role found");
	});

	test("without a listener there is no metadata service", async () => {
		const gone = serve({});
		await gone[Symbol.asyncDispose]();
		await using home = await makeHome();
		const env = { AWS_EC2_METADATA_SERVICE_ENDPOINT: gone.url, AWS_EC2_METADATA_DISABLED: "" };
		expect(await refusal(home.env(env))).toContain("no role found");
	});
});
