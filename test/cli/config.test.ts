/** Settings are shown, explained and changed from the command line, and affect a run. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "bun:test";

import { modelsYml } from "@tau/ai/testing";

import { launch, type Launched } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

function write(tau: Launched, text: string): string {
	const file = join(tau.agentDir, "config.yml");
	writeFileSync(file, text);
	return file;
}

function writeProject(tau: Launched, text: string): string {
	mkdirSync(join(tau.project, ".tau"), { recursive: true });
	const file = join(tau.project, ".tau/config.yml");
	writeFileSync(file, text);
	return file;
}

function lines(out: string): Record<string, unknown>[] {
	return out
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("tau config", () => {
	test("set, get and unset change one value and keep the rest of the file", async () => {
		await using tau = await launch({ steps: [] });
		const file = write(tau, "# mine\nretry:\n    enabled: true   # yes\n");
		const set = await tau.run(["config", "set", "retry.maxRetries", "5"]);
		expect(set).toEqual({ code: 0, out: "retry.maxRetries is 5 in ~/.tau/agent/config.yml\n", err: "" });
		expect(readFileSync(file, "utf8")).toBe("# mine\nretry:\n    enabled: true   # yes\n    maxRetries: 5\n");
		expect(await tau.run(["config", "get", "retry.maxRetries"])).toEqual({ code: 0, out: "5\n", err: "" });
		expect((await tau.run(["config", "unset", "retry.maxRetries"])).code).toBe(0);
		expect(readFileSync(file, "utf8")).toBe("# mine\nretry:\n    enabled: true   # yes\n");
		expect((await tau.run(["config", "get", "retry.maxRetries"])).out).toBe("3\n");
	});

	test("a secret is hidden in lists and replies, and printed for whoever asks for it", async () => {
		await using tau = await launch({ steps: [] });
		const file = write(tau, "auth:\n  broker:\n    url: http://127.0.0.1:9\n    token: very-secret-token\n");
		const set = await tau.run(["config", "set", "searxng.token", "other-secret"]);
		const table = await tau.run(["config", "list"]);
		const rows = await tau.run(["config", "list", "--mode", "json"]);
		expect(set.out + table.out + rows.out).not.toMatch(/very-secret|other-secret/);
		expect(set.out).toStartWith("searxng.token is (hidden) in ");
		expect(lines(rows.out)).toContainEqual(
			expect.objectContaining({ key: "auth.broker.token", value: "(hidden)" }),
		);
		expect((await tau.run(["config", "get", "auth.broker.token"])).out).toBe("very-secret-token\n");
		writeFileSync(file, "auth:\n  broker:\n    token: $MY_TOKEN\n");
		expect((await tau.run(["config", "list", "broker.token"])).out).toContain("$MY_TOKEN");
	});

	const words: [key: string, word: string, value: unknown][] = [
		["retry.enabled", "off", false],
		["retry.enabled", "TRUE", true],
		["budget.maxCost", "2.5", 2.5],
		["steeringMode", "all", "all"],
		["enabledModels", "openai/*, *haiku*", ["openai/*", "*haiku*"]],
		["enabledModels", '["a,b"]', ["a,b"]],
		["modelRoles", "default=a/b,smol=c", { default: "a/b", smol: "c" }],
		["modelRoles.slow", "x:high", "x:high"],
	];
	test.each(words)("%s is set from the arguments %j", async (key, word, value) => {
		await using tau = await launch({ steps: [] });
		const set = await tau.run(["config", "set", key, word, "--mode", "json"]);
		const file = join(tau.agentDir, "config.yml");
		expect({ ...set, out: lines(set.out) }).toEqual({ code: 0, err: "", out: [{ key, value, file }] });
		const [row] = lines((await tau.run(["config", "get", key, "--mode", "json"])).out);
		expect(row).toMatchObject({ key, value, from: { layer: "global", file, line: expect.any(Number) } });
	});

	test("list shows every value with its file and line, and all mistakes", async () => {
		await using tau = await launch({ steps: [] });
		write(tau, "queueMode: all\nwallpaper: dark\nretry:\n  maxRetreis: 1\n");
		writeProject(tau, "bash:\n  timeoutSeconds: 9\nsessionDir: /etc\n");
		const { code, out, err } = await tau.run(["config"]);
		expect(code).toBe(0);
		expect(out).toMatch(/^steeringMode +all +~\/\.tau\/agent\/config\.yml:1$/m);
		expect(out).toMatch(/^bash\.timeoutSeconds +9 +\S+\.tau\/config\.yml:2$/m);
		expect(out).toMatch(/^sessionDir +– +default$/m);
		for (const problem of [
			":1 queueMode: it was renamed to steeringMode",
			":2 wallpaper: unknown setting.",
			":4 retry.maxRetreis: unknown setting. Did you mean retry.maxRetries",
			":3 sessionDir: a project may not set it, because it controls where files are written",
		]) {
			expect(err).toContain(problem);
		}
		const rows = lines((await tau.run(["config", "list", "retry", "--mode", "json"])).out);
		expect(rows.map(({ key }) => key)).toEqual([
			"retry.enabled",
			"retry.maxRetries",
			"retry.baseDelayMs",
			"retry.maxDelayMs",
		]);
	});

	test("--project writes into the project what a project may set", async () => {
		await using tau = await launch({ steps: [] });
		const { code } = await tau.run(["config", "set", "bash.timeoutSeconds", "60", "--project"]);
		expect(code).toBe(0);
		const file = join(tau.project, ".tau/config.yml");
		expect(readFileSync(file, "utf8")).toBe("bash:\n  timeoutSeconds: 60\n");
		expect(await tau.run(["config", "path", "--project"])).toEqual({ code: 0, out: `${file}\n`, err: "" });
		const hidden = await tau.run(["config", "set", "bash.timeoutSeconds", "70"]);
		expect(hidden.code).toBe(0);
		expect(hidden.err).toMatch(
			/^tau: bash\.timeoutSeconds is also set in \S+:2, which takes precedence here\n$/,
		);
	});

	test("path shows every file that is read, and doc what a setting does", async () => {
		await using tau = await launch({ steps: [] });
		const rows = lines((await tau.run(["config", "path", "--mode", "json"])).out);
		expect(rows.filter(({ written }) => written).map(({ file }) => file)).toEqual([
			join(tau.agentDir, "config.yml"),
			join(tau.project, ".tau/config.yml"),
		]);
		const doc = await tau.run(["config", "doc", "retry.maxDelayMs"]);
		expect(doc).toMatchObject({ code: 0, err: "", out: expect.stringContaining("default: 60000") });
		const page = await tau.run(["config", "doc"]);
		expect(page.out).toBe(readFileSync(join(import.meta.dir, "../../docs/settings.md"), "utf8"));
	});

	const wrong: [promise: string, args: string[], message: RegExp][] = [
		[
			"an unknown setting",
			["get", "retry.maxRetrys"],
			/Unknown setting retry\.maxRetrys\. Did you mean retry\.max/,
		],
		["one to be written", ["set", "stearingMode", "all"], /Did you mean steeringMode\?/],
		["a wrong value", ["set", "retry.enabled", "perhaps"], /must be true or false, not "perhaps"/],
		["a missing value", ["set", "retry.enabled"], /tau config set <setting> <value>/],
		[
			"a setting that a project may not set",
			["set", "sessionDir", "x", "--project"],
			/A project may not set sessionDir/,
		],
		["two targets at once", ["set", "retry.enabled", "on", "--project", "--global"], /--global or --project/],
		[
			"a target without an effect",
			["get", "retry.enabled", "--project"],
			/only apply to tau config set, unset and path/,
		],
		["a slip", ["gte", "retry.enabled"], /Unknown action "gte"\. Did you mean get\?/],
		["a search without a match", ["list", "zzz"], /Unknown setting zzz/],
		["a missing overlay", ["list", "--config", "none.yml"], /none\.yml: file not found/],
	];
	test.each(wrong)(
		"%s is explained in one line, with exit code 2, and nothing is written",
		async (_, args, message) => {
			await using tau = await launch({ steps: [] });
			const { code, out, err } = await tau.run(["config", ...args]);
			expect({ code, out }).toEqual({ code: 2, out: "" });
			expect(err).toMatch(message);
			expect(err).toMatch(/^tau: [^\n]*\n$/);
			expect(readdirSync(tau.agentDir)).toEqual(["models.yml"]);
			expect(readdirSync(tau.project)).toEqual([]);
		},
	);

	test("a file that cannot be changed safely is left unchanged, with exit code 1", async () => {
		await using tau = await launch({ steps: [] });
		const file = write(tau, "retry: [1\n");
		const { code, out, err } = await tau.run(["config", "set", "steeringMode", "all"]);
		expect({ code, out }).toEqual({ code: 1, out: "" });
		expect(err).toMatch(/^tau: \S+config\.yml:\d+ is not valid YAML, so nothing was written: .+\n$/);
		expect(readFileSync(file, "utf8")).toBe("retry: [1\n");
	});

	test("two programs that write at the same moment both succeed", async () => {
		await using tau = await launch({ steps: [] });
		const names = ["a", "b", "c", "d"];
		const ran = await Promise.all(
			names.map((name) => tau.run(["config", "set", `modelRoles.${name}`, name])),
		);
		expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
		const [row] = lines((await tau.run(["config", "get", "modelRoles", "--mode", "json"])).out);
		expect(row?.value).toEqual({ a: "a", b: "b", c: "c", d: "d" });
	});

	test("similar words are a prompt", async () => {
		await using tau = await launch({ steps: ["an answer"] });
		const { code, out } = await tau.run(["config path is wrong", ...model]);
		expect({ code, out }).toEqual({ code: 0, out: "an answer\n" });
	});
});

describe("a run", () => {
	test("stores its session in the directory of the settings, unless a flag says otherwise", async () => {
		await using tau = await launch({ steps: ["one", "two"] });
		write(tau, "sessionDir: ~/kept\n");
		expect((await tau.run(["-p", "hi", ...model])).code).toBe(0);
		expect(readdirSync(join(tau.home, "kept")).length).toBe(1);
		expect((await tau.run(["-p", "hi", ...model, "--session-dir", "here"])).code).toBe(0);
		expect(readdirSync(join(tau.project, "here")).length).toBe(1);
		expect(readdirSync(join(tau.home, "kept")).length).toBe(1);
	});

	test("ends a command after the timeout that the project allows", async () => {
		const call = { blocks: [{ toolCall: { name: "bash", arguments: { command: "sleep 100" } } }] };
		await using tau = await launch({ steps: [{ answer: call }, "stopped"] });
		writeProject(tau, "bash: { timeoutSeconds: 1 }\n");
		expect(await tau.run(["-p", "hi", ...model])).toMatchObject({ code: 0, out: "stopped\n" });
		expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain("Command timed out after 1 s");
	});

	test("uses the model and the thinking level of files that --config names, the last one first", async () => {
		await using tau = await launch({ steps: ["one", "two", "three"] });
		writeFileSync(
			join(tau.agentDir, "models.yml"),
			modelsYml(tau.played, { api: "anthropic-messages", reasoning: true }),
		);
		write(tau, "modelRoles: { default: nowhere/none }\ndefaultThinkingLevel: off\n");
		const [one, two] = [join(tau.home, "one.yml"), join(tau.home, "two.json")];
		writeFileSync(one, "modelRoles: { default: played/none }\ndefaultThinkingLevel: high\n");
		writeFileSync(two, '{ "modelRoles": { "default": "played/played-1" } }');
		const overlays = ["--config", one, "--config", two];
		const { code, out } = await tau.run(["-p", "hi", ...overlays]);
		expect({ code, out }).toEqual({ code: 0, out: "one\n" });
		expect(tau.played.requests.at(-1)?.body).toMatchObject({ thinking: { type: "enabled" } });
		await tau.run(["-p", "hi", "--thinking", "off", ...overlays]);
		expect(tau.played.requests.at(-1)?.body).not.toMatchObject({ thinking: { type: "enabled" } });
		await tau.run(["-p", "hi", "--model", "played/played-1:off", ...overlays]);
		expect(tau.played.requests.at(-1)?.body).not.toMatchObject({ thinking: { type: "enabled" } });
	});

	test("continues when a file is invalid, and reports the mistakes", async () => {
		await using tau = await launch({ steps: ["works"] });
		const file = write(tau, "retry:\n  enabled: perhaps\nwallpaper: dark\n");
		const { code, out, err } = await tau.run(["-p", "hi", ...model]);
		expect({ code, out }).toEqual({ code: 0, out: "works\n" });
		expect(err).toBe(
			`tau: ${file}:2 retry.enabled: must be true or false, not "perhaps"\ntau: ${file}: unknown settings wallpaper (line 3)\n`,
		);
	});

	test("does not start without a file that --config names", async () => {
		await using tau = await launch({ steps: [] });
		const { code, err } = await tau.run(["-p", "hi", "--config", "none.yml", ...model]);
		expect(code).toBe(2);
		expect(err).toMatch(/^tau: --config \S+none\.yml: file not found\n$/);
	});
});
