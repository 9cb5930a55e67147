/** What users who keep keys in `.env` files can rely on, and what a stranger's repository cannot do. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { dirs } from "./dirs.ts";
import { onDispose } from "./dispose.ts";
import { loadDotenv, parseDotenv } from "./dotenv.ts";
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
		"a line like %j costs only itself",
		(line) => {
			expect({ ...parseDotenv(`X=1\n${line}\nY=2`) }).toEqual({ X: "1", Y: "2" });
		},
	);

	test("a value written in double quotes comes back as it was", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme" }), (value) => {
				fc.pre(!/[\0\r]/.test(value));
				const quoted = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
				expect(parseDotenv(`A=1\nKEY="${quoted}"\nB=2`)).toEqual({ A: "1", KEY: value, B: "2" });
			}),
		);
	});

	test("no text can make the reader fail", () => {
		fc.assert(
			fc.property(fc.string({ unit: fc.constantFrom(..."A=\"'`\\\n\r #$x\0") }), (text) => {
				for (const value of Object.values(parseDotenv(text))) expect(value).not.toContain("\0");
			}),
		);
	});
});

function house() {
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
	const load = (target: Env, cwd = project) => loadDotenv({ cwd, env: target, dirs: dirs({}, home) });
	return { root, files, load, ...onDispose(() => rmSync(root, { recursive: true })) };
}

describe("loading", () => {
	test("the environment wins, then the project, the agent, the config root, the home", () => {
		using tau = house();
		writeFileSync(tau.files.project, "A=project\nB=project");
		writeFileSync(tau.files.agent, "A=agent\nB=agent\nC=agent");
		writeFileSync(tau.files.config, "C=config\nD=config");
		writeFileSync(tau.files.home, "D=home\nE=home");
		const target: Env = { A: "set" };
		const report = tau.load(target);
		expect(target).toEqual({ A: "set", B: "project", C: "agent", D: "config", E: "home" });
		expect([...report.sources]).toEqual([
			["B", tau.files.project],
			["C", tau.files.agent],
			["D", tau.files.config],
			["E", tau.files.home],
		]);
		expect(report.warnings).toEqual([]);
	});

	test("a file's TAU_X does not overrule a PI_X that was set before", () => {
		using tau = house();
		writeFileSync(tau.files.project, "TAU_X=file");
		const target: Env = { PI_X: "set" };
		tau.load(target);
		expect(env("TAU_X", target)).toBe("set");
	});

	test("a setting under an old name is found under the new one", () => {
		using tau = house();
		writeFileSync(tau.files.agent, "OMP_X=omp\nPI_X=pi\nPI_Y=pi");
		const target: Env = {};
		tau.load(target);
		expect(target).toEqual({ TAU_X: "omp", OMP_X: "omp", PI_X: "pi", TAU_Y: "pi", PI_Y: "pi" });
	});

	test("a key that was set to nothing stays switched off", () => {
		using tau = house();
		writeFileSync(tau.files.home, "OPENAI_API_KEY=sk");
		const target: Env = { OPENAI_API_KEY: "" };
		tau.load(target);
		expect(target.OPENAI_API_KEY).toBe("");
	});

	test("unreadable, huge and odd files are named and cost nothing else", () => {
		using tau = house();
		mkdirSync(tau.files.project);
		writeFileSync(tau.files.agent, `A=${"x".repeat(dotenvLimits.fileBytes)}`);
		Bun.spawnSync(["mkfifo", tau.files.config]);
		writeFileSync(tau.files.home, "A=1");
		const target: Env = {};
		const report = tau.load(target);
		expect(target).toEqual({ A: "1" });
		expect(report.warnings.map((warning) => warning.file)).toEqual([
			tau.files.project,
			tau.files.agent,
			tau.files.config,
		]);
	});
});

const refused = [
	"TAU_CONFIG_DIR",
	"OMP_CODING_AGENT_DIR",
	"PI_CONFIG_DIR",
	"PI_SUBPROCESS_CMD",
	"PI_SHELL_PREFIX",
	"OMP_AUTH_BROKER_URL",
	"PATH",
	"HOME",
	"XDG_CONFIG_HOME",
	"LD_PRELOAD",
	"DYLD_INSERT_LIBRARIES",
	"NODE_OPTIONS",
	"BUN_CONFIG_REGISTRY",
	"BASH_ENV",
	"GIT_SSH_COMMAND",
	"SSH_ASKPASS",
	"GNUPGHOME",
	"NODE_EXTRA_CA_CERTS",
	"HTTPS_PROXY",
	"https_proxy",
	"ANTHROPIC_BASE_URL",
];

describe("a project's file", () => {
	test.each(refused)("cannot set %s", (key) => {
		using tau = house();
		writeFileSync(tau.files.project, `${key}=evil\nOK=1`);
		const target: Env = {};
		const report = tau.load(target);
		expect(target).toEqual({ OK: "1" });
		expect(report.warnings.map((warning) => warning.key)).toEqual([key]);
	});

	test.each(["OPENAI_API_KEY", "TAU_SMOL_MODEL", "DATABASE_URL", "NODE_ENV", "PI_NO_PTY"])(
		"can set %s",
		(key) => {
			using tau = house();
			writeFileSync(tau.files.project, `${key}=fine`);
			const target: Env = {};
			expect(tau.load(target).warnings).toEqual([]);
			expect(target[key]).toBe("fine");
		},
	);

	test("is trusted like any other of the user's when it is the one in the home", () => {
		using tau = house();
		writeFileSync(tau.files.home, "ANTHROPIC_BASE_URL=http://localhost");
		const target: Env = {};
		expect(tau.load(target, join(tau.root, "home")).warnings).toEqual([]);
		expect(target).toEqual({ ANTHROPIC_BASE_URL: "http://localhost" });
	});
});
