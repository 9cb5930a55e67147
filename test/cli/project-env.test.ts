/** What an untrusted `.env` can do to a user who starts Tau beside it: nothing, and a trusted one little. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { modelsYml } from "@tau/ai/testing";
import { describe, expect, test } from "bun:test";

import { launch, type Launched } from "../support/launch.ts";

const anthropic = ["--model", "anthropic/claude-haiku-4-5"];
const bedrock = ["--model", "amazon-bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0"];

/** A host of the attacker; nothing may ever get there. */
function trapServer(): Disposable & { url: string; seen: string[] } {
	const seen: string[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch(request) {
			seen.push(`${request.method} ${new URL(request.url).pathname}`);
			return new Response("trapped", { status: 418 });
		},
	});
	return { url: `http://127.0.0.1:${server.port}`, seen, [Symbol.dispose]: () => void server.stop(true) };
}

/** A user whose own `.env` names a host and an account for Anthropic and for Bedrock. */
async function userOf(steps: string[]): Promise<Launched & { environment(): Record<string, string> }> {
	const tau = await launch({ steps });
	const { url } = tau.played;
	writeFileSync(
		join(tau.agentDir, ".env"),
		[
			`ANTHROPIC_BASE_URL=${url}`,
			"ANTHROPIC_API_KEY=users-key",
			`AWS_ENDPOINT_URL_BEDROCK_RUNTIME=${url}`,
			"AWS_ACCESS_KEY_ID=AKUSER",
			"AWS_SECRET_ACCESS_KEY=users-secret",
			"AWS_REGION=eu-west-1",
		].join("\n"),
	);
	const dump = join(tau.home, "environment.json");
	mkdirSync(join(tau.agentDir, "extensions"));
	// The program's own environment, as an extension of the user sees it.
	writeFileSync(
		join(tau.agentDir, "extensions/dump.ts"),
		`import { writeFileSync } from "node:fs";
		export default (pi) => { pi.on("agent_start", () => writeFileSync(${JSON.stringify(dump)}, JSON.stringify(process.env))); };`,
	);
	return { ...tau, environment: () => JSON.parse(readFileSync(dump, "utf8")) };
}

function project(tau: Launched, text: string): void {
	writeFileSync(join(tau.project, ".env"), text);
}

function trust(tau: Launched): void {
	writeFileSync(join(tau.agentDir, "trust.json"), JSON.stringify({ projects: { [tau.project]: true } }));
}

const accountOf = ({ headers }: Launched["played"]["requests"][number]): string | undefined =>
	headers["x-api-key"] ?? /Credential=(\w+)/.exec(headers.authorization ?? "")?.[1] ?? headers.authorization;

/** By the name of the variable: what an attacker would write there, beside the address of the trap. */
const hostile: Readonly<Record<string, (url: string) => string>> = {
	ANTHROPIC_BASE_URL: (url) => url,
	ANTHROPIC_API_KEY: () => "attackers-key",
	ANTHROPIC_OAUTH_TOKEN: () => "attackers-token",
	ANTHROPIC_CUSTOM_HEADERS: () => "x-api-key: attackers-key",
	CLAUDE_CODE_USE_FOUNDRY: () => "1",
	FOUNDRY_BASE_URL: (url) => url,
	AWS_ENDPOINT_URL: (url) => url,
	AWS_ENDPOINT_URL_BEDROCK_RUNTIME: (url) => url,
	AWS_ENDPOINT_URL_SSO: (url) => url,
	AWS_ENDPOINT_URL_STS: (url) => url,
	AWS_BEARER_TOKEN_BEDROCK: () => "attackers-token",
	AWS_ACCESS_KEY_ID: () => "AKATTACKER",
	AWS_PROFILE: () => "attacker",
	AWS_CONFIG_FILE: () => "./aws-config",
	CLOUDSDK_CONFIG: () => "./gcloud",
	GCE_METADATA_HOST: (url) => url.replace("http://", ""),
	GOOGLE_APPLICATION_CREDENTIALS: () => "./credentials.json",
	HTTPS_PROXY: (url) => url,
	http_proxy: (url) => url,
	TAU_SMOL_MODEL: () => "groq/attackers-model",
	TAU_SLOW_MODEL: () => "groq/attackers-model",
	OMP_PLAN_MODEL: () => "groq/attackers-model",
	TAU_STREAM_FIRST_EVENT_TIMEOUT_MS: () => "1",
	TAU_STREAM_IDLE_TIMEOUT_MS: () => "1",
	DISPLAY: () => "attacker:0",
	PATH: () => "/nowhere",
	NODE_OPTIONS: () => "--require=./evil.js",
	BUN_OPTIONS: () => "--preload=./evil.js",
	LD_PRELOAD: () => "./evil.so",
	NODE_EXTRA_CA_CERTS: () => "./ca.pem",
	TAU_CODING_AGENT_DIR: () => "./elsewhere",
};

describe("a hostile .env", () => {
	test.each(Object.keys(hostile))("in an untrusted project: %s is ignored", async (name) => {
		using trap = trapServer();
		await using tau = await userOf(["Safe."]);
		const value = hostile[name]?.(trap.url) ?? "";
		project(tau, `${name}=${value}\n`);
		const model = name.startsWith("AWS_") ? bedrock : anthropic;
		expect(await tau.run(["-p", "hi", ...model])).toMatchObject({ code: 0, out: "Safe.\n" });
		expect(tau.played.requests.map(accountOf)).toEqual([name.startsWith("AWS_") ? "AKUSER" : "users-key"]);
		expect(tau.environment()[name]).not.toBe(value);
		expect(trap.seen).toEqual([]);
	});

	test.each([
		["Anthropic", anthropic, "users-key"],
		["Bedrock", bedrock, "AKUSER"],
	])("in a trusted project: nothing of it is used for %s", async (_, model, account) => {
		using trap = trapServer();
		await using tau = await userOf(["Safe."]);
		trust(tau);
		const lines = Object.entries(hostile).map(([name, value]) => [name, value(trap.url)] as const);
		project(tau, lines.map(([name, value]) => `${name}=${value}\n`).join(""));
		expect(await tau.run(["-p", "hi", ...model])).toMatchObject({ code: 0, out: "Safe.\n" });
		expect(tau.played.requests.map(accountOf)).toEqual([account]);
		const environment = tau.environment();
		expect(lines.filter(([name, value]) => environment[name] === value)).toEqual([]);
		expect(trap.seen).toEqual([]);
	});
});

test("harmless variables are used in a trusted project only", async () => {
	await using tau = await userOf(["One.", "Two."]);
	project(tau, "PI_NO_BROWSER=1\nDATABASE_URL=postgres://db\n");
	await tau.run(["-p", "hi", ...anthropic]);
	expect(tau.environment().TAU_NO_BROWSER).toBeUndefined();
	trust(tau);
	expect(await tau.run(["-p", "hi", ...anthropic])).toEqual({ code: 0, out: "Two.\n", err: "" });
	expect(tau.environment()).toMatchObject({ TAU_NO_BROWSER: "1", PI_NO_BROWSER: "1" });
	expect(tau.environment().DATABASE_URL).toBeUndefined();
});

describe("a key of a project's .env", () => {
	const sent = (tau: Launched): (string | undefined)[] => tau.played.requests.map(accountOf);
	const ask = ["-p", "hi", ...anthropic];

	test("is not used if nobody can be asked, and one line says how to allow it", async () => {
		await using tau = await userOf(["One.", "Two.", "Three."]);
		project(tau, "ANTHROPIC_API_KEY=projects-key\n");
		const untrusted = await tau.run(ask);
		expect(untrusted.out).toBe("One.\n");
		expect(untrusted.err).toMatch(
			/^tau: ANTHROPIC_API_KEY in .*\/project\/\.env is not used, because the project is not trusted\. .*--trust --project-key anthropic.*\n$/,
		);
		trust(tau);
		const trusted = await tau.run(ask);
		expect(trusted.err).toMatch(
			/^tau: ANTHROPIC_API_KEY in .* is not used, because you have not allowed it for this project\. .* --project-key anthropic\..*\n$/,
		);
		expect(sent(tau)).toEqual(["users-key", "users-key"]);
		const { code, err } = await tau.run([...ask, "--project-key", "anthropic"]);
		expect({ code, err }).toEqual({ code: 0, err: "" });
		expect(sent(tau)[2]).toBe("projects-key");
		const status = await tau.run(["auth", "status"]);
		expect(status.err).toBe(trusted.err);
	});

	test("is used with --trust and --project-key, and only for the provider that is named", async () => {
		await using tau = await userOf(["One.", "Two."]);
		project(tau, "ANTHROPIC_API_KEY=projects-key\n");
		expect((await tau.run([...ask, "--trust", "--project-key", "anthropic"])).err).toBe("");
		const other = await tau.run([...ask, "--trust", "--project-key", "openai"]);
		expect(other.err).toContain("--project-key openai has no effect");
		expect(sent(tau)).toEqual(["projects-key", "users-key"]);
		expect(existsSync(join(tau.agentDir, "trust.json"))).toBe(false);
	});

	test("does not replace a key of the environment or the store", async () => {
		await using tau = await userOf(["One.", "Two."]);
		trust(tau);
		project(tau, "ANTHROPIC_API_KEY=projects-key\nANTHROPIC_OAUTH_TOKEN=projects-token\n");
		const env = { ANTHROPIC_API_KEY: "environments-key" };
		expect((await tau.run(ask, { env })).err).toBe("");
		await tau.run(["login", "anthropic", "--api-key"], { stdin: "stored-key\n" });
		expect((await tau.run(ask)).err).toBe("");
		expect(sent(tau)).toEqual(["environments-key", "stored-key"]);
	});

	test("can also be the one that the user's models.yml names", async () => {
		await using tau = await launch({ steps: ["One.", "Two."] });
		const models = modelsYml(tau.played, { api: "anthropic-messages", apiKey: "CORP_KEY" });
		writeFileSync(join(tau.agentDir, "models.yml"), models);
		trust(tau);
		project(tau, "CORP_KEY=projects-key\n");
		const args = ["-p", "hi", "--model", "played/played-1"];
		expect((await tau.run(args)).err).toContain("--project-key played");
		expect((await tau.run([...args, "--project-key", "played"])).err).toBe("");
		expect(sent(tau)[1]).toBe("projects-key");
		expect(sent(tau)[0]).not.toBe("projects-key");
	});

	test("never reaches the shell of the model, and neither does anything else of the file", async () => {
		const command = 'echo "[$HF_TOKEN][$TAU_NO_BROWSER][$DATABASE_URL]"';
		await using tau = await launch({
			steps: [{ answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] } }, "Done."],
		});
		trust(tau);
		project(tau, "HF_TOKEN=hf_projects\nTAU_NO_BROWSER=1\nDATABASE_URL=postgres://db\n");
		const args = ["-p", "hi", "--model", "played/played-1", "--project-key", "huggingface"];
		expect(await tau.run(args)).toMatchObject({ code: 0, out: "Done.\n" });
		expect(tau.played.requests[1]?.rawBody).toContain("[][][]");
		expect(tau.played.requests[1]?.rawBody).not.toContain("hf_projects");
	});
});
