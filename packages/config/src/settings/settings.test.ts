/** Settings come from the right layer, know their origin, and survive invalid files. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";

import { writeTestFile } from "../../../../test/support/files.ts";
import { describeProblem } from "./config-problem.ts";
import { limits as configLimits } from "./limits.ts";
import { startupLines } from "./problem.ts";
import { schema, settingPaths } from "./schema.ts";
import { Settings } from "./settings.ts";

let base = "";
beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "tau-settings-"));
	mkdirSync(join(base, "project"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const userFile = "agent/config.yml";
const projectFile = "project/.tau/config.yml";

const write = (name: string, content: string | Uint8Array): string =>
	writeTestFile(join(base, name), content);

function load(...overlays: string[]): Promise<Settings> {
	return Settings.load({ cwd: join(base, "project"), agentDir: join(base, "agent"), overlays });
}

function problemsOf(settings: Settings): string[] {
	return settings.problems.map((problem) => describeProblem(problem).replaceAll(`${base}/`, ""));
}

test("a value has the type of its setting", async () => {
	const settings = await load();
	const mode: "one-at-a-time" | "all" = settings.get("steeringMode");
	const retries: number = settings.get("retry.maxRetries");
	const cost: number | undefined = settings.get("budget.maxCost");
	const roles: Readonly<Record<string, string>> = settings.get("modelRoles");
	expect({ mode, retries, cost, roles }).toEqual({
		mode: "one-at-a-time",
		retries: 3,
		cost: undefined,
		roles: {},
	});
});

describe("layers", () => {
	test("without a file every setting has its default", async () => {
		const settings = await load();
		for (const path of settingPaths) expect(settings.get(path)).toEqual(schema[path].default);
		expect(settings.problems).toEqual([]);
		expect((await settings.explain("retry.enabled")).from).toEqual({ layer: "default" });
	});

	test("each layer overrides the one below: user, pi, omp, project, overlays in order, session", async () => {
		const steps: [name: string, seconds: number][] = [
			["agent/settings.json", 1],
			["agent/config.jsonc", 22],
			["agent/config.yaml", 2],
			[userFile, 3],
			["project/.pi/settings.json", 4],
			["project/.omp/settings.json", 5],
			["project/.omp/config.yaml", 6],
			["project/.omp/config.yml", 7],
			["project/.tau/settings.json", 8],
			["project/.tau/config.jsonc", 23],
			["project/.tau/config.yaml", 9],
			[projectFile, 10],
		];
		for (const [name, seconds] of steps) {
			// YAML is a superset of JSON.
			write(name, `{ "bash": { "timeoutSeconds": ${seconds} } }${name.endsWith("c") ? " // comment" : ""}\n`);
			expect((await load()).get("bash.timeoutSeconds")).toBe(seconds);
		}
		write("project/one.yml", "bash: { timeoutSeconds: 11 }\nsteeringMode: all\n");
		const two = write("two.json", '{ "bash": { "timeoutSeconds": 12 } }');
		const settings = await load("one.yml", two);
		expect(settings.get("bash.timeoutSeconds")).toBe(12);
		expect(settings.get("steeringMode")).toBe("all");
		await settings.set("steeringMode", "one-at-a-time", "session");
		expect(settings.get("steeringMode")).toBe("one-at-a-time");
	});

	test("tables are merged name by name, lists are replaced", async () => {
		write(
			"agent/settings.json",
			'{"modelRoles": {"default": "a", "smol": "b"}, "enabledModels": ["x", "y"]}',
		);
		write(userFile, "modelRoles: { smol: c, slow: d }\nenabledModels: [z]\n");
		const settings = await load(write("o.yml", "modelRoles: { slow: e }\n"));
		expect(settings.get("modelRoles")).toEqual({ default: "a", smol: "c", slow: "e" });
		expect(settings.get("enabledModels")).toEqual(["z"]);
	});

	test("a value knows its layer, its file and its line, and all other values that were set", async () => {
		const old = write("agent/settings.json", '{\n\t"retry": {\n\t\t"maxRetries": 4\n\t}\n}\n');
		const user = write(
			userFile,
			"# mine\n\nretry:\n  enabled: false\n  maxRetries: 5\nmodelRoles:\n  smol: x\n",
		);
		const settings = await load();
		expect(await settings.explain("retry.maxRetries")).toEqual({
			value: 5,
			default: 3,
			from: { layer: "global", file: user, line: 5 },
			sources: [
				{ layer: "global", file: old, line: 3, value: 4 },
				{ layer: "global", file: user, line: 5, value: 5 },
			],
		});
		expect((await settings.explain("modelRoles.smol")).from).toEqual({
			layer: "global",
			file: user,
			line: 7,
		});
		expect(await settings.explain("modelRoles.other")).toMatchObject({ value: undefined, sources: [] });
		expect(await settings.explain("no.such" as string)).toBeUndefined();
	});

	test("an agent directory inside the project is the user's, not the project's", async () => {
		write("project/.tau/config.yml", "sessionDir: /mine\n");
		const cwd = join(base, "project");
		const settings = await Settings.load({ cwd, agentDir: join(cwd, ".tau") });
		expect(settings.get("sessionDir")).toBe("/mine");
		expect(settings.problems).toEqual([]);
	});
});

describe("a project may not set what spends, runs or redirects something", () => {
	const harmless = new Set<string>([
		"steeringMode",
		"followUpMode",
		"bash.timeoutSeconds",
		"bashInterceptor.enabled",
		// A project can only require a sandbox, and hide more from it: packages/session/src/sandbox/session-sandbox.ts.
		"sandbox.mode",
		"sandbox.hidden",
		// Paths inside of the project alone are copied or linked.
		"task.isolation.mode",
		"task.isolation.include",
		"task.isolation.link",
		// A project can only narrow what runs without asking: packages/session/src/policy.
		"tools.approvalMode",
		"tools.approval",
		"permissions.allow",
		"permissions.ask",
		"permissions.deny",
		// Servers run only for a trusted project or inside a boundary: mayRunProject in packages/extensions/src/assembly.
		"lsp.diagnosticsOnWrite",
		"lsp.formatOnWrite",
		"lsp.footer",
		// What it leaves out of a result stays readable.
		"bash.minimizer",
		"contextFiles",
		// Read by the code that knows whether the project is trusted: packages/extensions/src/packages/declared.ts.
		"packages",
		"ask.timeoutSeconds",
		"edit.mode",
		"treeFilterMode",
		"enableSkillCommands",
		"theme",
		"ui.motion",
		"ui.screenReader",
		"ui.colorBlind",
		"tui.maxInlineImages",
		"terminal.showImages",
		"terminal.imageWidthCells",
		"showHardwareCursor",
		"transcript",
		"thinking.show",
		"footer.segments",
		"doubleEscape",
		"notify.method",
		"notify.afterSeconds",
		"editor.vim",
		"autocompleteMaxVisible",
		"ttsr.builtinRules",
		"ttsr.contextMode",
		"ttsr.repeatMode",
		"ttsr.repeatGap",
	]);
	/** In a project this is no mistake, and applies where it is known whether the project is trusted. */
	const elsewhere = new Set<string>(["extensions"]);
	const examples: Record<string, unknown> = {
		toggle: false,
		number: 7,
		text: "x",
		list: ["3000"],
		table: { x: "y" },
		json: { x: [{ y: 1 }] },
		"bashInterceptor.patterns": [{ pattern: "x", tool: "y" }],
		"compaction.perModel": { x: { keepRecentTokens: 1 } },
	};

	test.each(settingPaths.map((path) => [path]))("%s", async (path) => {
		const { hint, notForProjects } = schema[path];
		const value = hint.kind === "choice" ? hint.choices.at(-1) : (examples[path] ?? examples[hint.kind]);
		const nested = path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
		for (const name of [projectFile, "project/.omp/settings.json", "project/.pi/settings.json"]) {
			const file = write(name, JSON.stringify(nested));
			const settings = await load();
			if (harmless.has(path)) {
				expect(settings.get(path)).toEqual(value as never);
				expect(settings.problems).toEqual([]);
			} else {
				expect(settings.get(path)).toEqual(schema[path].default as never);
				const refused = `${name}:1 ${path}: a project may not set it, because ${notForProjects}`;
				expect(problemsOf(settings)).toEqual(elsewhere.has(path) ? [] : [refused]);
			}
			rmSync(file);
		}
		expect((await load(write("o.yml", JSON.stringify(nested)))).get(path)).toEqual(value as never);
	});

	test("a project may not use an old name either", async () => {
		write(projectFile, "defaultProvider: evil\ndefaultModel: costly\nfallbackModel: x\n");
		const settings = await load();
		expect(settings.get("modelRoles")).toEqual({});
		expect(settings.get("fallbackModels")).toEqual([]);
	});
});

describe("mistakes are reported with their line and affect nothing else", () => {
	const mistakes: [text: string, ...problems: string[]][] = [
		["steeringMode: fast\n", '1 steeringMode: must be one of one-at-a-time, all, not "fast"'],
		["retry:\n  enabled: yes\n", '2 retry.enabled: must be true or false, not "yes"'],
		["retry:\n  maxRetries: -1\n", "2 retry.maxRetries: must be a whole number from 0 to 100, not -1"],
		["retry:\n  maxRetries: 1.5\n", "2 retry.maxRetries: must be a whole number from 0 to 100, not 1.5"],
		["retry:\n  maxRetries: .nan\n", "2 retry.maxRetries: must be a whole number from 0 to 100, not NaN"],
		["budget: { maxCost: .inf }\n", "1 budget.maxCost: must be a number from 0 to 1000000, not Infinity"],
		["retry: 5\n", "1 retry: must be a group of settings, not 5"],
		["retry: [1]\n", "1 retry: must be a group of settings, not a list"],
		["sessionDir: {}\n", "1 sessionDir: must be text, not a group"],
		['sessionDir: ""\n', "1 sessionDir: must be text, not nothing"],
		["enabledModels: all\n", '1 enabledModels: must be a list of strings, not "all"'],
		["modelRoles: [a]\n", "1 modelRoles: must be key: value pairs, not a list"],
		["steeringMod: all\n", "1 steeringMod: unknown setting. Did you mean steeringMode?"],
		["retry:\n  maxRetreis: 3\n", "2 retry.maxRetreis: unknown setting. Did you mean retry.maxRetries"],
		["maxCost: 3\n", "1 maxCost: unknown setting. Did you mean budget.maxCost?"],
		["telemetry: { enabled: [1, 2] }\n", "1 telemetry: unknown setting."],
		["retry.enabled: false\n", '1 retry.enabled: write it as two levels: "retry:" and below it "enabled:"'],
		["modelRoles.smol: x\n", '1 modelRoles.smol: write it as two levels: "modelRoles:" and below it "smol:"'],
		["wallpaper: &a [*a]\n", "1 wallpaper: unknown setting."],
		["__proto__: { polluted: true }\n", "1 __proto__: unknown setting."],
	];
	test.each(mistakes)("%j", async (text, ...problems) => {
		write(userFile, `${text}followUpMode: all\n`);
		const settings = await load();
		expect(problemsOf(settings)).toEqual(
			problems.map((each) => expect.stringContaining(`${userFile}:${each}`)),
		);
		expect(settings.get("followUpMode")).toBe("all");
		for (const path of ["steeringMode", "retry.enabled", "retry.maxRetries", "sessionDir"] as const) {
			expect(settings.get(path)).toEqual(schema[path].default as never);
		}
		expect({}).not.toHaveProperty("polluted");
	});

	test("only the invalid item of a list or entry of a table is left out", async () => {
		write(userFile, "enabledModels:\n  - a\n  - 7\n  - c\nmodelRoles:\n  smol: x\n  slow: [y]\n  plan:\n");
		const settings = await load();
		expect(settings.get("enabledModels")).toEqual(["a", "c"]);
		expect(settings.get("modelRoles")).toEqual({ smol: "x" });
		expect(problemsOf(settings)).toEqual([
			`${userFile}:3 enabledModels.1: must be text, not 7`,
			`${userFile}:7 modelRoles.slow: must be text, not a list`,
		]);
	});

	test("an invalid value leaves the layer below in force", async () => {
		write(userFile, "bash: { timeoutSeconds: 10 }\n");
		write(projectFile, "bash: { timeoutSeconds: 1000000 }\n");
		expect((await load()).get("bash.timeoutSeconds")).toBe(10);
	});

	test("a role called __proto__ is a role and nothing else", async () => {
		write(userFile, 'modelRoles: { "__proto__": x, smol: y }\n');
		const roles = (await load()).get("modelRoles");
		expect(roles.smol).toBe("y");
		expect(Object.getPrototypeOf(roles)).toBe(Object.prototype);
	});

	test("a repeated key has its last value, and is reported", async () => {
		write(
			userFile,
			"steeringMode: all\nretry:\n  enabled: true\n  'enabled': false\nsteeringMode: one-at-a-time\n",
		);
		const settings = await load();
		expect(settings.get("retry.enabled")).toBe(false);
		expect(settings.get("steeringMode")).toBe("one-at-a-time");
		expect(problemsOf(settings)).toEqual([
			`${userFile}:4 enabled: it appears twice; the last one is used`,
			`${userFile}:5 steeringMode: it appears twice; the last one is used`,
		]);
	});

	test("the same key in two groups, lists and strings is not repeated", async () => {
		write(
			userFile,
			"a: &x\n  enabled: true\nb:\n  enabled: true\n  text: |\n    k: 1\n    k: 2\nretry:\n  enabled: false\n",
		);
		const kinds = (await load()).problems.map(({ kind }) => kind);
		expect(kinds).toEqual(["unknown", "unknown"]);
	});
});

describe("files of any kind", () => {
	const whole: [promise: string, content: string | Uint8Array, problem: RegExp][] = [
		["torn YAML", "retry:\n  enabled: [1, 2\nb: }\n", /config\.yml:\d+: /],
		["NUL bytes", "steeringMode: all\0\n", /is not text: it contains NUL bytes/],
		["a picture", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]), /is not UTF-8 text/],
		["a huge file", "#".repeat(configLimits.configFileBytes + 1), /is larger than 1048576 bytes/],
		["a list", "- a\n", /must be a group of settings/],
		["a text", "hello\n", /must be a group of settings/],
		["two documents", "a: 1\n---\nb: 2\n", /must be a group of settings/],
		["ever more references", laughs(), /config\.yml/],
	];
	test.each(whole)(
		"%s is reported and left out, and the project still applies",
		async (_, content, problem) => {
			write(userFile, content);
			write(projectFile, "steeringMode: all\n");
			const settings = await load();
			expect(settings.get("steeringMode")).toBe("all");
			expect(settings.problems).toHaveLength(1);
			expect(problemsOf(settings)[0]).toMatch(problem);
		},
	);

	test("a directory, a pipe and a dangling link at its path do not hang or crash", async () => {
		mkdirSync(join(base, "agent/config.yml"), { recursive: true });
		mkdirSync(join(base, "project/.tau"));
		symlinkSync("nowhere", join(base, "project/.tau/settings.json"));
		Bun.spawnSync(["mkfifo", join(base, projectFile)]);
		expect(problemsOf(await load())).toEqual([
			`${userFile}: is a directory`,
			`${projectFile}: is not a file`,
		]);
	});

	test("a file in place of .tau is no directory, and no problem", async () => {
		write("project/.tau", "x");
		expect((await load()).problems).toEqual([]);
	});

	test.each(["", "\n", "# words\n", "retry:\n", "retry:\n  enabled:\n", "{}\n", "\uFEFF"])(
		"%j sets nothing and is no problem",
		async (text) => {
			write(userFile, text);
			const settings = await load();
			expect(settings.get("retry.enabled")).toBe(true);
			expect(settings.problems).toEqual([]);
		},
	);

	test("byte order mark, CRLF, anchors and merges are read", async () => {
		write(
			userFile,
			"\uFEFFx: &x { maxRetries: 7 }\r\nretry:\r\n  <<: *x\r\n  baseDelayMs: 5\r\nsteeringMode: all\r\nnope: 1\r\n",
		);
		const settings = await load();
		expect(settings.get("retry.maxRetries")).toBe(7);
		expect(settings.get("retry.baseDelayMs")).toBe(5);
		expect(settings.get("steeringMode")).toBe("all");
		expect(problemsOf(settings).at(-1)).toContain(`${userFile}:6 nope`);
	});

	test("JSON may have comments and a trailing comma; a mistake in it is reported", async () => {
		write("agent/settings.json", '{\n  // mine\n  "steeringMode": "all",\n}\n');
		expect((await load()).get("steeringMode")).toBe("all");
		write("agent/settings.json", '{ "steeringMode": ');
		expect(problemsOf(await load())[0]).toStartWith("agent/settings.json: is not valid JSON");
	});

	test("a missing overlay is a problem; another missing file is not", async () => {
		expect(problemsOf(await load("nope.yml"))).toEqual(["project/nope.yml: file not found"]);
	});

	test("property: any bytes are parsed or reported, never thrown", async () => {
		await fc.assert(
			fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
				write(userFile, bytes);
				const settings = await load();
				expect(settings.get("retry.maxRetries")).toBe(3);
			}),
			{ numRuns: 200 },
		);
	});
});

describe("old names", () => {
	test("are accepted, and listed only on request", async () => {
		write(
			"agent/settings.json",
			JSON.stringify({
				queueMode: "all",
				favouriteModels: ["p/m"],
				fallbackModel: "x",
				retry: { provider: { maxRetryDelayMs: 9 } },
				defaultProvider: "p",
				defaultModel: "m",
				doubleEscapeAction: "branch",
				ask: { timeout: 45_000 },
				task: { isolation: { enabled: true } },
			}),
		);
		const settings = await load();
		expect(settings.get("task.isolation.mode")).toBe("auto");
		expect(settings.get("steeringMode")).toBe("all");
		expect(settings.get("favoriteModels")).toEqual(["p/m"]);
		expect(settings.get("doubleEscape")).toBe("branch");
		expect(settings.get("ask.timeoutSeconds")).toBe(45);
		expect(settings.get("fallbackModels")).toEqual(["x"]);
		expect(settings.get("retry.maxDelayMs")).toBe(9);
		expect(settings.get("modelRoles")).toEqual({ default: "p/m" });
		expect(settings.problems.map(({ kind }) => kind)).toEqual(Array(8).fill("renamed"));
		expect(startupLines(settings.problems)).toEqual([]);
		expect((await settings.explain("steeringMode")).from).toMatchObject({ line: 1 });
	});

	test("omp's groups of themes and skills are understood, its form of a patch and its switch of reminders", async () => {
		write(
			userFile,
			`theme:
  dark: forest
  light: dawn
skills:
  ignoredSkills: [pdf]
  customDirectories: [~/skills]
edit:
  mode: patch
todo: { reminders: true }
hideThinkingBlock: false
`,
		);
		const settings = await load();
		expect(settings.get("theme")).toBe("dawn/forest");
		expect(settings.get("skills")).toEqual(["~/skills"]);
		expect(settings.get("discovery.disabled")).toEqual(["skills:pdf"]);
		expect(settings.get("edit.mode")).toBe("apply_patch");
		expect(settings.get("todo.reminders")).toBe(3);
		expect(settings.get("thinking.show")).toBe(true);
		expect(settings.problems.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
			"renamed: it was renamed to theme",
			"renamed: it was renamed to theme",
			"renamed: it was renamed to discovery.disabled",
			"renamed: it was renamed to skills",
			"renamed: it was renamed to thinking.show",
		]);
		await settings.set("theme", "dusk", "global");
		expect(settings.get("theme")).toBe("dusk");
		write(userFile, "theme: { dark: forest }\n");
		expect((await load()).get("theme")).toBe("light/forest");
	});

	test("the current name overrides it, in either order", async () => {
		write(
			userFile,
			"queueMode: all\nsteeringMode: one-at-a-time\ndefaultModel: x\nmodelRoles: { default: y }\n",
		);
		const settings = await load();
		expect(settings.get("steeringMode")).toBe("one-at-a-time");
		expect(settings.get("modelRoles")).toEqual({ default: "y" });
	});
});

test("at startup typos are reported one by one, other unknown settings in one line, those of other programs not at all", async () => {
	write(userFile, "wallpaper: dark\nsteeringMod: all\ntelemetry: { enabled: true }\n");
	write("project/.pi/settings.json", '{ "wallpaper": "light", "steeringMod": "all" }');
	const { problems } = await load();
	expect(problems.filter(({ isForeign }) => isForeign)).toEqual([]);
	const lines = startupLines(problems).map((line) => line.replaceAll(`${base}/`, ""));
	expect(lines).toEqual([
		`${userFile}:2 steeringMod: unknown setting. Did you mean steeringMode?`,
		`${userFile}: unknown settings wallpaper (line 1), telemetry (line 3)`,
	]);
});

test("a file full of nonsense is reported within a limit", async () => {
	write(userFile, Array.from({ length: 5000 }, (_, index) => `zzz${index}: 1\n`).join(""));
	expect((await load()).problems.length).toBeLessThanOrEqual(50);
});

/** Small as text, a hundred million values once every reference is followed. */
function laughs(): string {
	const lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"];
	for (let depth = 1; depth < 9; depth++) {
		lines.push(
			`a${depth}: &a${depth} [${Array(10)
				.fill(`*a${depth - 1}`)
				.join(",")}]`,
		);
	}
	return `${lines.join("\n")}\n`;
}
