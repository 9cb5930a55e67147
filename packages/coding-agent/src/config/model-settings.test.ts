/** What config.yml says about models is read with care, and the rest of the file is left to others. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describeProblem } from "./config-problem.ts";
import { loadModelSettings, noModelSettings, withRoles, type ModelSettings } from "./model-settings.ts";

let directory = "";
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "tau-settings-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function load(text: string): Promise<{ settings: ModelSettings; problems: string[] }> {
	writeFileSync(join(directory, "config.yml"), text);
	const { settings, problems } = await loadModelSettings(directory);
	return { settings, problems: problems.map((each) => describeProblem(each).replace(`${directory}/`, "")) };
}

test("without a file nothing is set", async () => {
	expect(await loadModelSettings(directory)).toEqual({ settings: noModelSettings, problems: [] });
});

test("the four settings are read, whatever else is there", async () => {
	const text = `theme: dark
modelRoles: { default: anthropic/a, smol: "b:low" }
enabledModels: ["openai/*"]
modelProviderOrder: [openai, groq]
disabledProviders: [ollama]
compaction: { enabled: [1, 2] }
`;
	expect(await load(text)).toEqual({
		settings: {
			roles: { default: "anthropic/a", smol: "b:low" },
			enabledModels: ["openai/*"],
			providerOrder: ["openai", "groq"],
			disabledProviders: ["ollama"],
		},
		problems: [],
	});
});

test.each(["", "# nothing\n", "modelRoles:\nenabledModels:\n", "[]\n", "text\n"])(
	"%p sets nothing and is no problem here",
	async (text) => {
		expect(await load(text)).toEqual({ settings: noModelSettings, problems: [] });
	},
);

describe("what is wrong is named with its line, and costs only itself", () => {
	const wrong: [text: string, problem: string][] = [
		["modelRoles: [a]\n", "config.yml:1 modelRoles: Invalid input: expected record"],
		["modelRoles:\n  default: 7\n", "config.yml:2 modelRoles.default: Invalid input: expected string"],
		["enabledModels: all\n", "config.yml:1 enabledModels: Invalid input: expected array"],
		["modelProviderOrder:\n  - ok\n  - {}\n", "config.yml:3 modelProviderOrder.1: Invalid input"],
		['disabledProviders: [""]\n', "config.yml:1 disabledProviders.0: Too small"],
	];
	test.each(wrong)("%p", async (text, problem) => {
		const { settings, problems } = await load(
			`${text}${text.includes("enabled") ? "" : "enabledModels: [a]\n"}`,
		);
		expect(problems).toEqual([expect.stringContaining(problem)]);
		expect(settings.roles).toEqual({});
		if (!text.includes("enabled")) expect(settings.enabledModels).toEqual(["a"]);
	});

	test("a file that is no YAML", async () => {
		const { settings, problems } = await load("modelRoles: [1, 2\nx: 3\n");
		expect(settings).toEqual(noModelSettings);
		expect(problems).toEqual([expect.stringMatching(/^config\.yml:\d+: /)]);
	});
});

test("a flag wins over a variable, a variable over the file", () => {
	const settings = {
		...noModelSettings,
		roles: { smol: "file", slow: "file", plan: "file", commit: "file" },
	};
	const env = { PI_SMOL_MODEL: "variable", TAU_SLOW_MODEL: "variable", OMP_SLOW_MODEL: "older" };
	expect(withRoles(settings, { smol: "flag" }, env).roles).toEqual({
		smol: "flag",
		slow: "variable",
		plan: "file",
		commit: "file",
	});
});
