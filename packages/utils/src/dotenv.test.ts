/** What users who keep keys in `.env` files can rely on, and what an untrusted repository cannot do. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { dirs } from "./dirs.ts";
import { onDispose } from "./dispose.ts";
import { addFromProject, loadDotenv, parseDotenv, readProjectDotenv, withoutDotenv } from "./dotenv.ts";
import type { Env } from "./env.ts";
import { env } from "./env.ts";
import { dotenvLimits } from "./limits.ts";

describe("a file", () => {
	test.each([
		["A=1", { A: "1" }],
		["export A = two words  ", { A: "two words" }],
		["# no\n\nA=1 # yes\nB=a#b", { A: "1", B: "a#b" }],
		["A=", { A: "" }],
		["A=#nothing", { A: "" }],
		[`A="x # y" # z`, { A: "x # y" }],
		[`A="line\\nbreak \\"q\\" \\\\ \\x"`, { A: 'line\nbreak "q" \\ \\x' }],
		["A='no\\nescape'", { A: "no\\nescape" }],
		['A=`it\'s "so"`', { A: `it's "so"` }],
		['A="one\r\ntwo"\r\nB=3\r\n', { A: "one\ntwo", B: "3" }],
		["\uFEFFA=1", { A: "1" }],
		["A=$HOME", { A: "$HOME" }],
		["A=1\nA=2", { A: "2" }],
		["A=x=y", { A: "x=y" }],
	])("%j is read", (text, expected) => {
		expect({ ...parseDotenv(text) }).toEqual(expected);
	});

	test.each(["just words", "=1", "1A=x", "A B=1", 'A="never closed', 'A="closed" and more', "A=nul\0byte"])(
		"a malformed line such as %j is skipped alone",
		(line) => {
			expect({ ...parseDotenv(`X=1\n${line}\nY=2`) }).toEqual({ X: "1", Y: "2" });
		},
	);

	test("property: a value written in double quotes is read back unchanged", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme" }), (value) => {
				fc.pre(!/[\0\r]/.test(value));
				const quoted = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
				expect(parseDotenv(`A=1\nKEY="${quoted}"\nB=2`)).toEqual({ A: "1", KEY: value, B: "2" });
			}),
		);
	});

	test("property: no text makes the parser fail", () => {
		fc.assert(
			fc.property(fc.string({ unit: fc.constantFrom(..."A=\"'`\\\n\r #$x\0") }), (text) => {
				for (const value of Object.values(parseDotenv(text))) expect(value).not.toContain("\0");
			}),
		);
	});
});

function testHome() {
	const root = mkdtempSync(join(tmpdir(), "tau-dotenv-"));
	const home = join(root, "home");
	const project = join(root, "project");
	mkdirSync(join(home, ".tau/agent"), { recursive: true });
	mkdirSync(project);
	const files = {
		project: join(project, ".env"),
		agent: join(home, ".tau/agent/.env"),
		config: join(home, ".tau/.env"),
		home: join(home, ".env"),
	};
	const places = dirs({}, home);
	const load = (target: Env) => loadDotenv({ env: target, dirs: places });
	const read = (cwd = project) => readProjectDotenv(cwd, { dirs: places });
	return { root, files, load, read, ...onDispose(() => rmSync(root, { recursive: true })) };
}

describe("loading", () => {
	test("the environment wins, then the agent, the config root, the home", () => {
		using tau = testHome();
		writeFileSync(tau.files.project, "F=project");
		writeFileSync(tau.files.agent, "A=agent\nC=agent");
		writeFileSync(tau.files.config, "C=config\nD=config");
		writeFileSync(tau.files.home, "D=home\nE=home");
		const target: Env = { A: "set" };
		const report = tau.load(target);
		expect(target).toEqual({ A: "set", C: "agent", D: "config", E: "home" });
		expect([...report.sources]).toEqual([
			["C", tau.files.agent],
			["D", tau.files.config],
			["E", tau.files.home],
		]);
		expect(report.warnings).toEqual([]);
	});

	test("a file's TAU_X does not overrule a PI_X that was set before", () => {
		using tau = testHome();
		writeFileSync(tau.files.agent, "TAU_X=file");
		const target: Env = { PI_X: "set" };
		tau.load(target);
		expect(env("TAU_X", target)).toBe("set");
	});

	test("a setting under an old name is available under the new one", () => {
		using tau = testHome();
		writeFileSync(tau.files.agent, "OMP_X=omp\nPI_X=pi\nPI_Y=pi");
		const target: Env = {};
		tau.load(target);
		expect(target).toEqual({ TAU_X: "omp", OMP_X: "omp", PI_X: "pi", TAU_Y: "pi", PI_Y: "pi" });
	});

	test("a key that was set to an empty value stays off", () => {
		using tau = testHome();
		writeFileSync(tau.files.home, "OPENAI_API_KEY=sk");
		const target: Env = { OPENAI_API_KEY: "" };
		tau.load(target);
		expect(target.OPENAI_API_KEY).toBe("");
	});

	test("unreadable, oversized and special files are reported and skipped", () => {
		using tau = testHome();
		mkdirSync(tau.files.project);
		writeFileSync(tau.files.agent, `A=${"x".repeat(dotenvLimits.fileBytes)}`);
		Bun.spawnSync(["mkfifo", tau.files.config]);
		writeFileSync(tau.files.home, "A=1");
		const target: Env = {};
		const report = tau.load(target);
		expect(target).toEqual({ A: "1" });
		expect(report.warnings.map((warning) => warning.file)).toEqual([tau.files.agent, tau.files.config]);
		expect(tau.read()).toEqual({ file: tau.files.project, values: {}, problem: "is not a regular file" });
	});
});

describe("a project's file", () => {
	test("sets nothing when it is read", () => {
		using tau = testHome();
		writeFileSync(tau.files.project, "TAU_TEST_PROJECT=1");
		expect({ ...tau.read()?.values }).toEqual({ TAU_TEST_PROJECT: "1" });
		expect(process.env.TAU_TEST_PROJECT).toBeUndefined();
	});

	test("sets the allowed variables: above the user's files, below the environment", () => {
		using tau = testHome();
		writeFileSync(tau.files.project, "A=project\nB=project\nC=project\nD=project");
		writeFileSync(tau.files.agent, "B=agent\nE=agent");
		const target: Env = { A: "set" };
		tau.load(target);
		const project = tau.read();
		if (project) addFromProject(project, ["A", "B", "C", "absent"], target);
		expect(target).toEqual({ A: "set", B: "project", C: "project", E: "agent" });
		expect(withoutDotenv(target)).toEqual({ A: "set" });
	});

	test("a variable that changed after a file had set it belongs to the environment", () => {
		using tau = testHome();
		writeFileSync(tau.files.agent, "A=agent");
		const target: Env = {};
		tau.load(target);
		target.A = "changed";
		expect(withoutDotenv(target)).toEqual({ A: "changed" });
	});

	test("counts as the user's own in the home directory", () => {
		using tau = testHome();
		writeFileSync(tau.files.home, "ANTHROPIC_BASE_URL=http://localhost");
		const target: Env = {};
		expect(tau.read(join(tau.root, "home"))).toBeUndefined();
		tau.load(target);
		expect(target).toEqual({ ANTHROPIC_BASE_URL: "http://localhost" });
	});
});
