/** Model settings are those of config.yml, unless the run overrides them. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelSettings, noModelSettings, withRoles } from "./model-settings.ts";
import { Settings } from "../settings/index.ts";

let directory = "";
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "tau-model-settings-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("without a file nothing is set", async () => {
	const settings = await Settings.load({ cwd: directory, agentDir: directory });
	expect(modelSettings(settings)).toEqual(noModelSettings);
});

test("the four settings are read", async () => {
	writeFileSync(
		join(directory, "config.yml"),
		`modelRoles: { default: anthropic/a, smol: "b:low" }
enabledModels: ["openai/*"]
modelProviderOrder: [openai, groq]
disabledProviders: [ollama]
`,
	);
	expect(modelSettings(await Settings.load({ cwd: directory, agentDir: directory }))).toEqual({
		roles: { default: "anthropic/a", smol: "b:low" },
		enabledModels: ["openai/*"],
		providerOrder: ["openai", "groq"],
		disabledProviders: ["ollama"],
	});
});

test("a flag overrides a variable, a variable the file", () => {
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
