/** Secrets are masked, ordinary text stays, and no input makes masking slow. */
import { describe, expect, test } from "bun:test";
import { maskLimits } from "./limits.ts";
import { maskSecrets, maskTokens, registerSecret } from "./mask.ts";

const body = "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z";

describe("known shapes", () => {
	test.each([
		`sk-ant-api03-${body}`,
		`sk-proj-${body}`,
		`sk-${body}`,
		`sk-or-v1-${body}`,
		`ghp_${body}`,
		`gho_${body}`,
		`github_pat_11ABC_${body}`,
		`AIza${body}`,
		"AKIAIOSFODNN7EXAMPLE",
		`xoxb-1234567890-${body}`,
		`glpat-${body}`,
		`hf_${body}`,
		`gsk_${body}`,
		`xai-${body}`,
		`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${body}`,
	])("%s is masked with a hint that identifies the key", (secret) => {
		const masked = maskSecrets(`before ${secret}, after`);
		expect(masked).toBe(`before ${secret.slice(0, 4)}…[masked], after`);
		expect(maskSecrets(`{"k":"${secret}"}`)).not.toContain(secret.slice(6));
	});
});

describe("values by their names", () => {
	test.each([
		["Authorization: Bearer hunter2hunter2", "Authorization: Bearer …[masked]"],
		["authorization: hunter2", "authorization: …[masked]"],
		['{"Authorization":"Basic aHVudGVyMg=="}', '{"Authorization":"Basic …[masked]"}'],
		["x-api-key: hunter2", "x-api-key: …[masked]"],
		["MY_API_KEY=hunter2 next", "MY_API_KEY=…[masked] next"],
		["export GITHUB_TOKEN='hunter2'", "export GITHUB_TOKEN='…[masked]'"],
		["CLIENT_SECRET: hunter2", "CLIENT_SECRET: …[masked]"],
		["aws_secret_access_key = hunter2", "aws_secret_access_key = …[masked]"],
		['\\"apiKey\\":\\"hunter2\\"', '\\"apiKey\\":\\"…[masked]\\"'],
		['"accessToken": "hunter2hunter2"', '"accessToken": "…[masked]"'],
		["?access_token=hunter2&page=2", "?access_token=…[masked]&page=2"],
		["postgres://ann:hunter2@db.example/x", "postgres://ann:…[masked]@db.example/x"],
		["https://:hunter2@h/", "https://:…[masked]@h/"],
	])("%s", (text, expected) => {
		expect(maskSecrets(text)).toBe(expected);
	});

	test("a private key is masked completely, also when its end is missing", () => {
		const open = "-----BEGIN RSA PRIVATE KEY-----";
		const close = "-----END RSA PRIVATE KEY-----";
		expect(maskSecrets(`a\n${open}\n${body}\n${close}\nb`)).toBe(`a\n${open}…[masked]${close}\nb`);
		expect(maskSecrets(`a\n${open}\n${body}`)).toBe(`a\n${open}…[masked]`);
		const certificate = `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----`;
		expect(maskSecrets(certificate)).toBe(certificate);
	});
});

test.each([
	"the task-management-and-scheduling system",
	"max_tokens: 4096, totalTokens: 12",
	"https://example.com:8080/a@b",
	"const token = next();",
	"a basic idea, and a bearer of news",
	"ghp_short",
	"commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
])("ordinary text stays unchanged: %s", (text) => {
	expect(maskSecrets(text)).toBe(text);
});

describe("in a text that others will read", () => {
	const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n-----END OPENSSH PRIVATE KEY-----`;

	test.each([
		`token ghp_${body}, after`,
		JSON.stringify({ text: `a\nghp_${body}\nb` }),
		JSON.stringify(JSON.stringify({ text: `a\n\teyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${body}` })),
		`/home/ann/ghp_${body}`,
		key,
		JSON.stringify({ key }),
	])("tokens and private keys are masked: %s", (text) => {
		expect(maskTokens(text)).toContain("…[masked]");
		expect(maskTokens(text)).not.toContain(body);
	});

	test.each([
		"password = get_password(); token: null",
		"npm_config_registry_of_this_project and sk-folding-cube-spinner",
		"const begin = '-----BEGIN RSA PRIVATE KEY-----';",
		`${"iVBORw0KGgo/AAAANSUhEUg+".repeat(20)}/AIza${body}`,
	])("code, names and images stay: %s", (text) => {
		expect(maskTokens(text)).toBe(text);
	});
});

test("a token after an escaped line break is masked in a log, too", () => {
	expect(maskSecrets(`{"message":"bad key\\nsk-${body}"}`)).not.toContain(body);
});

describe("registered values", () => {
	test("a registered value is masked everywhere, also escaped and inside a word", () => {
		expect(registerSecret('pa$$ "w0rd" of ann')).toBe(true);
		expect(maskSecrets('x pa$$ "w0rd" of ann y')).toBe("x …[masked] y");
		expect(maskSecrets(JSON.stringify({ q: 'pa$$ "w0rd" of ann' }))).toBe('{"q":"…[masked]"}');
		expect(maskSecrets(`?q=${encodeURIComponent('pa$$ "w0rd" of ann')}x`)).toBe("?q=…[masked]x");
	});

	test("a secret inside a longer secret leaves no part of the longer one", () => {
		registerSecret("correct-horse");
		registerSecret("correct-horse-battery");
		expect(maskSecrets("(correct-horse-battery)")).not.toContain("battery");
	});

	test("a value too short to be distinguished from a word is rejected", () => {
		expect(registerSecret("abc")).toBe(false);
		expect(maskSecrets("abc")).toBe("abc");
	});

	test("with too many registered values, the newest are kept", () => {
		for (let index = 0; index < maskLimits.registered + 50; index++)
			registerSecret(`refreshed-value-${index}-x`);
		const newest = `refreshed-value-${maskLimits.registered + 49}-x`;
		expect(maskSecrets(newest)).not.toContain(newest);
	});
});

test("masked text is not masked again", () => {
	const once = maskSecrets(`MY_API_KEY=sk-${body} Authorization: Bearer sk-${body} https://a:sk-${body}@h`);
	expect(maskSecrets(once)).toBe(once);
});

// The property is "linear": each of these takes minutes when one pattern backtracks or rescans, and the
// runner's own time limit turns that into a failure.
test.each([
	"a",
	"eyJ",
	"eyJaaaaaaaaa.",
	"sk-",
	"ghp_",
	"api_key",
	"_token=",
	"_token    ",
	"authorization: ",
	"bearer ",
	"://a:",
	"://",
	"-----BEGIN PRIVATE KEY-----",
	"-----BEGIN ",
	"-",
	"password:'\"",
	"/AIza0aaaaaaaaaaaaaaaaaaa",
])("a megabyte of %j is processed in time", (piece) => {
	const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
	expect(maskSecrets(text).length).toBeGreaterThan(0);
	expect(maskTokens(text).length).toBeGreaterThan(0);
	expect(maskSecrets(`${text} sk-${body}`)).not.toContain(`sk-${body}`);
});
