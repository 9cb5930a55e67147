/** A models file provides every valid provider, and reports where the others are wrong. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";

import { compatFlags, wireApis } from "@tau/ai";

import { samples } from "../../../../../test/support/depth.ts";
import { describeProblem } from "../../settings/config-problem.ts";
import { limits } from "../../settings/limits.ts";
import { loadModelsFile } from "./load.ts";

let directory = "";
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "tau-models-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

interface Loaded {
	providers: string[];
	problems: string[];
}

/** Problems as a user reads them, without the directory in front. */
async function load(text: string | Uint8Array, name = "models.yml"): Promise<Loaded> {
	writeFileSync(join(directory, name), text);
	const file = await loadModelsFile(directory);
	expect(file.path).toBe(join(directory, name));
	return {
		providers: [...file.providers.keys()],
		problems: file.problems.map((problem) => describeProblem(problem).replace(`${directory}/`, "")),
	};
}

/** Always the first provider, on the lines 2 to 7, to show that a broken neighbor does not affect it. */
const good = `providers:
  good:
    baseUrl: https://good.example/v1
    apiKey: GOOD_KEY
    api: openai-completions
    models:
      - id: some-model
`;

test("a file that does not exist is no problem, and its path is known", async () => {
	const file = await loadModelsFile(directory);
	expect(file).toEqual({ path: join(directory, "models.yml"), providers: new Map(), problems: [] });
});

test("a directory that does not exist is no problem", async () => {
	expect((await loadModelsFile(join(directory, "none"))).problems).toEqual([]);
});

test("every field of the format is read", async () => {
	const text = `providers:
  mine:
    baseUrl: https://mine.example/v1
    apiKey: MINE_KEY
    api: anthropic-messages
    headers: { X-Team: platform }
    authHeader: true
    auth: apiKey
    discovery: { type: ollama }
    modelOverrides:
      other: { name: Other, contextPromotionTarget: mine/big }
    models:
      - id: big
        name: Big
        api: openai-completions
        reasoning: true
        input: [text, image]
        cost: { input: 3, output: 15, tiers: [{ inputTokensAbove: 200000, input: 6, output: 22 }] }
        contextWindow: 200000
        maxTokens: 16384
        headers: { X-Model: value }
        compat:
          supportsStore: true
          supportsDeveloperRole: true
          supportsReasoningEffort: true
          supportsUsageInStreaming: false
          maxTokensField: max_completion_tokens
          openRouterRouting: { only: [a] }
          vercelGatewayRouting: { order: [a, b] }
          extraBody: { gateway: m1, deep: { er: [1] } }
equivalence:
  overrides: { mine/big: gpt-official }
  exclude: [mine/other]
`;
	writeFileSync(join(directory, "models.yml"), text);
	const { providers, problems, equivalence } = await loadModelsFile(directory);
	expect(problems).toEqual([]);
	expect(equivalence).toEqual({ overrides: { "mine/big": "gpt-official" }, exclude: ["mine/other"] });
	expect(providers.get("mine")).toMatchObject({
		authHeader: true,
		headers: { "X-Team": "platform" },
		modelOverrides: { other: { name: "Other" } },
		models: [
			{
				id: "big",
				input: ["text", "image"],
				cost: {
					input: 3,
					output: 15,
					cacheRead: 0,
					cacheWrite: 0,
					tiers: [{ inputTokensAbove: 200000, input: 6, output: 22, cacheRead: 0, cacheWrite: 0 }],
				},
				compat: { extraBody: { gateway: "m1", deep: { er: [1] } }, openRouterRouting: { only: ["a"] } },
			},
		],
	});
});

test("every flag that models may have can be set", async () => {
	const examples = { switch: true, routing: { only: ["a"], order: ["b"] }, object: { x: { y: [1] } } };
	const compat = Object.fromEntries(
		Object.entries(compatFlags).map(([name, kind]) => [
			name,
			typeof kind === "string" ? examples[kind] : kind[0],
		]),
	);
	const models = [{ id: "a", compat: { ...compat, ofAnotherProgram: true } }];
	const mine = { baseUrl: "https://mine.example", auth: "none", api: "openai-completions", models };
	writeFileSync(join(directory, "models.json"), JSON.stringify({ providers: { mine } }));
	const { providers, problems } = await loadModelsFile(directory);
	expect(problems).toEqual([]);
	expect(providers.get("mine")?.models?.[0]?.compat).toEqual(compat);
});

test.each(wireApis)("%s may be used as a protocol", async (api) => {
	const text = good.replace("openai-completions", api);
	expect(await load(text)).toEqual({ providers: ["good"], problems: [] });
});

test("a protocol of an extension may be used: extensions are loaded later", async () => {
	const text = good.replace("openai-completions", "telepathy");
	expect(await load(text)).toEqual({ providers: ["good"], problems: [] });
});

test("a model of a built-in provider needs nothing but its id", async () => {
	expect(await load("providers:\n  anthropic:\n    models:\n      - id: brand-new\n")).toEqual({
		providers: ["anthropic"],
		problems: [],
	});
});

describe("an invalid equivalence is reported, and the providers load", () => {
	const wrong: [what: string, text: string, problem: string][] = [
		["a list of overrides", "  overrides: [a/b]\n", ":9 equivalence.overrides: Invalid input"],
		["a model without its provider", "  exclude: [gpt]\n", ":9 equivalence.exclude.0: expected provider/id"],
		["an override of a bare id", "  overrides: { gpt: x }\n", ":9 equivalence.overrides.gpt: "],
		["a slip", "  exlude: [a/b]\n", ":9 equivalence.exlude: unknown field, did you mean exclude?"],
	];
	test.each(wrong)("%s", async (_, text, problem) => {
		const { providers, problems } = await load(`${good}equivalence:\n${text}`);
		expect(providers).toEqual(["good"]);
		expect(problems).toEqual([expect.stringContaining(`models.yml${problem}`)]);
	});
});

describe("empty files are no problem", () => {
	const empty: [what: string, text: string][] = [
		["an empty one", ""],
		["blank lines and comments", "\n# later\n\n"],
		["no providers yet", "providers:\n"],
		["an empty map", "{}"],
		["only equivalence", "equivalence: {}\n"],
	];
	test.each(empty)("%s", async (_, text) => {
		expect(await load(text)).toEqual({ providers: [], problems: [] });
	});
});

describe("which file", () => {
	const json = JSON.stringify(
		{ providers: { fromJson: { baseUrl: "http://127.0.0.1:1/v1" } } },
		undefined,
		"\t",
	);

	test("models.json is read if there is no YAML", async () => {
		expect(await load(json, "models.json")).toEqual({ providers: ["fromJson"], problems: [] });
	});

	test("models.yaml is read too, and before models.json", async () => {
		writeFileSync(join(directory, "models.json"), json);
		expect((await load(good, "models.yaml")).providers).toEqual(["good"]);
	});

	test("models.yml is read before both, also when it is broken", async () => {
		writeFileSync(join(directory, "models.json"), json);
		writeFileSync(join(directory, "models.yaml"), good);
		expect(await load("providers: 7\n")).toEqual({
			providers: [],
			problems: ["models.yml:1 providers: expected a map of providers"],
		});
	});

	test("a byte order mark and Windows line endings are no problem", async () => {
		expect(await load(`\ufeff${good.replaceAll("\n", "\r\n")}`)).toEqual({
			providers: ["good"],
			problems: [],
		});
	});
});

describe("a file that cannot be used is one problem", () => {
	const broken: [what: string, text: string | Uint8Array, problem: RegExp][] = [
		["an open bracket, with its line", "providers:\n  a: 1\n  b: [1, 2\n  c: 3\n", /^models\.yml:[34]: .+$/],
		["an open quote, with its line", 'providers:\n  a:\n    apiKey: "sk\n', /^models\.yml:[34]: .+$/],
		["a tab as indentation, with its line", "providers:\n\ta: 1\n", /^models\.yml:2: .+$/],
		["an alias of nothing", "providers: *nothing\n", /^models\.yml: .*[Aa]lias.*$/],
		["a list", "- a\n- b\n", /^models\.yml: expected a map with the key providers$/],
		["plain text", "hello\n", /^models\.yml: expected a map with the key providers$/],
		[
			"providers as a list",
			"providers:\n  - good\n",
			/^models\.yml:2 providers: expected a map of providers$/,
		],
		["binary data", new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 0xff, 0xfe]), /^models\.yml[:: ].+$/],
		["endless nesting", "[".repeat(100_000), /^models\.yml:1: .+$/],
		[
			"too much",
			"#".repeat(limits.configFileBytes + 1),
			/^models\.yml: cannot be read: larger than \d+ bytes$/,
		],
	];
	test.each(broken)("%s", async (_, text, problem) => {
		const { providers, problems } = await load(text);
		expect(providers).toEqual([]);
		expect(problems).toEqual([expect.stringMatching(problem)]);
		expect(problems[0]).not.toContain("\n");
	});

	test("a directory at its path", async () => {
		mkdirSync(join(directory, "models.yml"));
		const { providers, problems } = await loadModelsFile(directory);
		expect(providers.size).toBe(0);
		expect(problems).toEqual([
			{
				file: join(directory, "models.yml"),
				message: expect.stringMatching(/^cannot be read: .*[Dd]irector/),
			},
		]);
	});
});

describe("an invalid provider is reported with line and field, and the others load", () => {
	const full = "    baseUrl: https://bad.example\n    auth: none\n    api: openai-completions\n";
	const model = "    models:\n      - id: x\n";
	const wrong: [what: string, provider: string, problems: string[]][] = [
		[
			"a wrong type",
			`    baseUrl: https://bad.example\n    headers: none\n`,
			[":10 providers.bad.headers: Invalid input: expected record, received string"],
		],
		["an invalid URL", `    baseUrl: localhost\n`, [":9 providers.bad.baseUrl: Invalid URL"]],
		[
			"no address",
			`    auth: none\n    api: openai-completions\n${model}`,
			[":9 providers.bad.baseUrl: required for a provider with models"],
		],
		[
			"no key",
			`    baseUrl: https://bad.example\n    api: openai-completions\n${model}`,
			[":9 providers.bad: no apiKey. Set one, or auth: none for a server without keys"],
		],
		[
			"no protocol",
			`    baseUrl: https://bad.example\n    auth: none\n${model}`,
			[":9 providers.bad.api: required for the provider or for each of its models"],
		],
		[
			"all three",
			model,
			[
				":9 providers.bad.baseUrl: required for a provider with models",
				":9 providers.bad: no apiKey. Set one, or auth: none for a server without keys",
				":9 providers.bad.api: required for the provider or for each of its models",
			],
		],
		[
			"a protocol that is misspelled",
			`    baseUrl: https://bad.example\n    api: openai-completion\n`,
			[':10 providers.bad.api: Invalid option: expected one of "anthropic-messages"|"openai-completions"|'],
		],
		[
			"a model without an id",
			`${full}    models:\n      - name: X\n`,
			[":13 providers.bad.models.0.id: Invalid input: expected string"],
		],
		[
			"a second model that is wrong",
			`${full}${model}      - id: y\n        maxTokens: many\n`,
			[":15 providers.bad.models.1.maxTokens: Invalid input: expected number"],
		],
		[
			"a window of nothing",
			`${full}    models:\n      - id: x\n        contextWindow: 0\n`,
			[":14 providers.bad.models.0.contextWindow: Too small"],
		],
		[
			"nothing to do",
			`    authHeader: true\n`,
			[":9 providers.bad.models: give models, or one of baseUrl, modelOverrides, discovery"],
		],
		[
			"discovery without a protocol and a URL",
			`    discovery: { type: ollama }\n`,
			[":9 providers.bad.api: required with discovery", ":9 providers.bad.baseUrl: required with discovery"],
		],
		[
			"discovery of a kind that does not exist",
			`${full}    discovery: { type: telepathy }\n`,
			[':12 providers.bad.discovery.type: Invalid option: expected one of "openai"|"ollama"|'],
		],
		[
			"a flag of another type",
			`${full}    models:\n      - { id: x, compat: { supportsStore: maybe } }\n`,
			[":13 providers.bad.models.0.compat.supportsStore: Invalid input: expected boolean"],
		],
		[
			"a flag with an unknown value",
			`${full}    compat:\n      thinkingFormat: odd\n`,
			[":13 providers.bad.compat.thinkingFormat: Invalid option: expected one of"],
		],
		[
			"an unknown level",
			`${full}    models:\n      - { id: x, thinkingLevelMap: { huge: x } }\n`,
			[":13 providers.bad.models.0.thinkingLevelMap"],
		],
		[
			"a slip in the name of a field that is missed",
			`    baseURL: https://bad.example\n    auth: none\n    api: openai-completions\n${model}`,
			[
				":9 providers.bad.baseURL: unknown field, did you mean baseUrl?",
				":9 providers.bad.baseUrl: required for a provider with models",
			],
		],
	];
	test.each(wrong)("%s", async (_, provider, problems) => {
		const loaded = await load(`${good}  bad:\n${provider}  fine:\n    baseUrl: https://fine.example\n`);
		expect(loaded.providers).toEqual(["good", "fine"]);
		expect(loaded.problems).toEqual(
			problems.map((problem) => expect.stringContaining(`models.yml${problem}`)),
		);
	});

	test("a provider that is not a map", async () => {
		const { providers, problems } = await load(`${good}  bad: 7\n`);
		expect(providers).toEqual(["good"]);
		expect(problems).toEqual(["models.yml:8 providers.bad: Invalid input: expected object, received number"]);
	});
});

describe("an unknown field is reported, and affects nothing else", () => {
	const unknown: [where: string, text: string, problems: string[]][] = [
		[
			"at the top",
			`provider: {}\n${good}`,
			["models.yml:1 provider: unknown field, did you mean providers?"],
		],
		["of a provider", `${good}    color: red\n`, ["models.yml:8 providers.good.color: unknown field"]],
		[
			"of a provider, with a slip",
			`${good}    header: {}\n`,
			["models.yml:8 providers.good.header: unknown field, did you mean headers?"],
		],
		[
			"of a model, with a slip",
			`${good}        contextwindow: 1000\n`,
			["models.yml:8 providers.good.models.0.contextwindow: unknown field, did you mean contextWindow?"],
		],
		[
			"of compat, with a slip",
			`${good}        compat: { supportStore: true }\n`,
			[
				"models.yml:8 providers.good.models.0.compat.supportStore: unknown field, did you mean supportsStore?",
			],
		],
		[
			"of an override, with a slip",
			`${good}    modelOverrides:\n      x: { resoning: true }\n`,
			["models.yml:9 providers.good.modelOverrides.x.resoning: unknown field, did you mean reasoning?"],
		],
		["of a model as other programs have them: silently", `${good}        thinkingFormat: odd\n`, []],
	];
	test.each(unknown)("%s", async (_, text, problems) => {
		expect(await load(text)).toEqual({ providers: ["good"], problems });
	});
});

test("property: any file loads, and a problem is one line", async () => {
	const yaml = fc.oneof(
		fc.string({
			unit: fc.constantFrom(
				"a",
				":",
				" ",
				"\n",
				"- ",
				"providers",
				"{",
				"]",
				'"',
				"&x",
				"*x",
				"#",
				"|",
				"\0",
			),
		}),
		fc.json().map((json) => `{"providers": {"a": ${json}, "b": {"models": ${json}}}}`),
		fc.uint8Array({ maxLength: 60 }),
	);
	await fc.assert(
		fc.asyncProperty(yaml, async (text) => {
			for (const problem of (await load(text)).problems) expect(problem).not.toContain("\n");
		}),
		{ numRuns: samples(300) },
	);
});
