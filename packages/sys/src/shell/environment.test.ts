/** Commands of a model get an environment in which nothing waits for a user and no account is accessible. */
import { describe, expect, test } from "bun:test";

import { passVariables } from "@tau/utils";

import { commandEnvironment } from "./environment.ts";

describe("keys of model and search providers are removed", () => {
	const secrets = [
		"ANTHROPIC_API_KEY",
		"ANTHROPIC_OAUTH_TOKEN",
		"ANTHROPIC_AUTH_TOKEN",
		"ANTHROPIC_FOUNDRY_API_KEY",
		"OPENAI_API_KEY",
		"AZURE_OPENAI_API_KEY",
		"XAI_OAUTH_TOKEN",
		"CURSOR_ACCESS_TOKEN",
		"COPILOT_GITHUB_TOKEN",
		"AWS_BEARER_TOKEN_BEDROCK",
		"CLAUDE_CODE_CLIENT_KEY",
		"PERPLEXITY_COOKIES",
		"SEARXNG_TOKEN",
		"SEARXNG_BASIC_PASSWORD",
		"TAU_AUTH_BROKER_TOKEN",
		"OMP_AUTH_BROKER_TOKEN",
		"PI_SHARE_SECRET",
	];
	test.each(secrets)("%s", (name) => {
		expect(Object.values(commandEnvironment({ [name]: "sk-secret" }))).not.toContain("sk-secret");
	});
});

describe("variables that look like secrets are not passed on unless the user names them", () => {
	const secrets: [name: string, value: string][] = [
		["GITHUB_TOKEN", "abcd1234"],
		["GH_TOKEN", "abcd1234"],
		["AWS_SECRET_ACCESS_KEY", "abcd1234"],
		["AWS_SESSION_TOKEN", "abcd1234"],
		["NPM_TOKEN", "abcd1234"],
		["SLACK_WEBHOOK_URL", "https://hooks.example.org/abcd1234"],
		["HF_TOKEN", "abcd1234"],
		["STRIPE_SECRET_KEY", "abcd1234"],
		["DB_PASSWORD", "abcd1234"],
		["PGPASSWORD", "abcd1234"],
		["MYSQL_PWD", "abcd1234"],
		["npm_config__authToken", "abcd1234"],
		["DATABASE_URL", "postgres://me:abcd1234@localhost/db"],
		["INNOCENT", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"],
	];
	test.each(secrets)("%s", (name, value) => {
		expect(commandEnvironment({ [name]: value })).not.toHaveProperty(name);
		using _passed = passVariables(() => [name]);
		expect(commandEnvironment({ [name]: value })).toHaveProperty(name, value);
	});

	test("a rule with a star passes on what it names, and never the key of a provider", () => {
		using _passed = passVariables(() => ["AWS_*", "*_API_KEY"]);
		const env = { AWS_SECRET_ACCESS_KEY: "abcd1234", NPM_TOKEN: "abcd1234", OPENAI_API_KEY: "abcd1234" };
		const passed = commandEnvironment(env);
		expect(passed).toHaveProperty("AWS_SECRET_ACCESS_KEY");
		expect(Object.keys(passed)).not.toContain("NPM_TOKEN");
		expect(Object.keys(passed)).not.toContain("OPENAI_API_KEY");
	});

	const plain: [name: string, value: string][] = [
		["MAX_TOKENS", "4096"],
		["SKIP_AUTH", "true"],
		["HTTP_PROXY", "http://me:abcd1234@proxy.example:3128"],
		["DATABASE_URL", "postgres://localhost/db"],
		["SSL_KEY", "/etc/ssl/key.pem"],
		["MONKEY", "banana-split"],
	];
	test.each(plain)("%s=%s is none", (name, value) => {
		expect(commandEnvironment({ [name]: value })).toHaveProperty(name, value);
	});
});

describe("variables that ordinary programs need are passed on", () => {
	const names = [
		"PATH",
		"HOME",
		"PWD",
		"AWS_PROFILE",
		"AWS_ACCESS_KEY_ID",
		"TOKENIZERS_PARALLELISM",
		"GOOGLE_APPLICATION_CREDENTIALS",
		"SSH_AUTH_SOCK",
	];
	test.each([...names, "TAU_SHELL_RUN", "API_KEY_FILE", "EMPTY"])("%s", (name) => {
		const value = name === "EMPTY" ? "" : name.endsWith("CREDENTIALS") ? "/home/me/key.json" : "kept";
		expect(commandEnvironment({ [name]: value })).toHaveProperty(name, value);
	});

	test("a variable that is not set stays unset", () => {
		expect(commandEnvironment({ GONE: undefined })).not.toHaveProperty("GONE");
	});

	test("the input environment is not changed", () => {
		const base = { PAGER: "less", OPENAI_API_KEY: "sk-secret" };
		commandEnvironment(base);
		expect(base).toEqual({ PAGER: "less", OPENAI_API_KEY: "sk-secret" });
	});
});

describe("variables with which a command means something else than was judged are not passed on", () => {
	test.each(["CDPATH", "GLOBIGNORE", "BASHOPTS", "RIPGREP_CONFIG_PATH", "GREP_OPTIONS"])("%s", (name) => {
		expect(commandEnvironment({ [name]: "/elsewhere" })).not.toHaveProperty(name);
	});
});

describe("nothing waits for a user", () => {
	const overrides: [name: string, users: string, ours: string][] = [
		["PAGER", "less", "cat"],
		["GIT_PAGER", "delta", "cat"],
		["MANPAGER", "less -R", "cat"],
		["EDITOR", "vim", "true"],
		["VISUAL", "code --wait", "true"],
		["GIT_EDITOR", "vim", "true"],
		["GIT_SEQUENCE_EDITOR", "vim", "true"],
		["GIT_TERMINAL_PROMPT", "1", "0"],
		["DEBIAN_FRONTEND", "dialog", "noninteractive"],
		["TERM", "xterm-256color", "dumb"],
	];
	test.each(overrides)("%s: a user's %s is replaced by %s", (name, users, ours) => {
		expect(commandEnvironment({ [name]: users })).toHaveProperty(name, ours);
	});
});

describe("CI", () => {
	const cases: [rule: string, base: Record<string, string>, ci: string | undefined][] = [
		["is set, so that programs do not ask", {}, "true"],
		["keeps the user's value", { CI: "false" }, "false"],
		["is not set with TAU_BASH_NO_CI", { TAU_BASH_NO_CI: "1" }, undefined],
		["is not set with PI_BASH_NO_CI", { PI_BASH_NO_CI: "true" }, undefined],
		["is not set with CLAUDE_BASH_NO_CI", { CLAUDE_BASH_NO_CI: "1" }, undefined],
		["is set with a flag of 0", { TAU_BASH_NO_CI: "0", CLAUDE_BASH_NO_CI: "0" }, "true"],
		["stays unchanged in a real CI, with or without a flag", { CI: "true", TAU_BASH_NO_CI: "1" }, "true"],
	];
	test.each(cases)("%s", (_rule, base, ci) => {
		expect(commandEnvironment(base).CI).toBe(ci);
	});
});
