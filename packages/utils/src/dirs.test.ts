/** Where Tau's files are. */
import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkHome, dirs, expandHome, homeOf, shortenHome } from "./dirs.ts";
import { onDispose } from "./dispose.ts";

function freshHome() {
	const path = mkdtempSync(join(tmpdir(), "tau-dirs-"));
	return { path, ...onDispose(() => rmSync(path, { recursive: true })) };
}

describe("without any variable", () => {
	test("everything is under ~/.tau", () => {
		expect(dirs({}, "/home/ann")).toEqual({
			home: "/home/ann",
			config: "/home/ann/.tau",
			agent: "/home/ann/.tau/agent",
			profile: undefined,
			data: "/home/ann/.tau/agent",
			sessions: "/home/ann/.tau/agent/sessions",
			cache: "/home/ann/.tau/cache",
			state: "/home/ann/.tau/state",
			trees: "/home/ann/.tau/state/trees",
			logs: "/home/ann/.tau/logs",
		});
	});

	test("the home directory comes from the environment", () => {
		expect(dirs({ HOME: "/elsewhere" }).agent).toBe("/elsewhere/.tau/agent");
	});
});

describe("with Tau's variables", () => {
	test("TAU_CONFIG_DIR is a name under home or an absolute path", () => {
		expect(dirs({ TAU_CONFIG_DIR: ".mine" }, "/home/ann").agent).toBe("/home/ann/.mine/agent");
		expect(dirs({ TAU_CONFIG_DIR: "/opt/tau" }, "/home/ann").logs).toBe("/opt/tau/logs");
		expect(dirs({ TAU_CONFIG_DIR: "~/deep/er" }, "/home/ann").config).toBe("/home/ann/deep/er");
	});

	test("TAU_CODING_AGENT_DIR moves the agent and its sessions, and nothing else", () => {
		const paths = dirs({ TAU_CODING_AGENT_DIR: "~/work-agent" }, "/home/ann");
		expect(paths.agent).toBe("/home/ann/work-agent");
		expect(paths.sessions).toBe("/home/ann/work-agent/sessions");
		expect(paths.logs).toBe("/home/ann/.tau/logs");
	});

	test("the directories of pi and omp are never used as Tau's own", () => {
		expect(dirs({ PI_CODING_AGENT_DIR: "/srv/agent" }, "/home/ann").agent).toBe("/home/ann/.tau/agent");
		expect(dirs({ OMP_CONFIG_DIR: ".x" }, "/home/ann").config).toBe("/home/ann/.tau");
	});
	test("Tau's variables win over XDG", () => {
		const xdg = {
			XDG_CONFIG_HOME: "/xc",
			XDG_DATA_HOME: "/xd",
			XDG_CACHE_HOME: "/xk",
			XDG_STATE_HOME: "/xs",
		};
		const paths = dirs({ ...xdg, TAU_CONFIG_DIR: "/opt/tau" }, "/home/ann");
		expect([paths.config, paths.sessions, paths.cache, paths.logs]).toEqual([
			"/opt/tau",
			"/opt/tau/agent/sessions",
			"/opt/tau/cache",
			"/opt/tau/logs",
		]);
		expect(dirs({ ...xdg, TAU_CODING_AGENT_DIR: "/srv/agent" }, "/home/ann").sessions).toBe(
			"/srv/agent/sessions",
		);
	});
});

describe("with XDG variables", () => {
	test("a fresh install follows XDG variables", () => {
		using home = freshHome();
		const xdg = {
			XDG_CONFIG_HOME: "/xc",
			XDG_DATA_HOME: "/xd",
			XDG_CACHE_HOME: "/xk",
			XDG_STATE_HOME: "/xs",
		};
		const paths = dirs(xdg, home.path);
		expect([paths.agent, paths.sessions, paths.cache, paths.state, paths.logs]).toEqual([
			"/xc/tau/agent",
			"/xd/tau/sessions",
			"/xk/tau",
			"/xs/tau",
			"/xs/tau/logs",
		]);
	});

	test("setting them later does not make an existing ~/.tau disappear", () => {
		using home = freshHome();
		const xdg = join(home.path, "data");
		mkdirSync(join(home.path, ".tau"));
		expect(dirs({ XDG_DATA_HOME: xdg }, home.path).sessions).toBe(join(home.path, ".tau/agent/sessions"));
		mkdirSync(join(xdg, "tau"), { recursive: true });
		expect(dirs({ XDG_DATA_HOME: xdg }, home.path).sessions).toBe(join(xdg, "tau/sessions"));
	});

	test("a relative value is ignored, as the XDG specification says", () => {
		using home = freshHome();
		expect(dirs({ XDG_CACHE_HOME: "cache" }, home.path).cache).toBe(join(home.path, ".tau/cache"));
	});
});

test("a tilde is expanded and shortened only where it means the home directory", () => {
	expect(expandHome("~/a", "/home/ann")).toBe("/home/ann/a");
	expect(expandHome("~", "/home/ann")).toBe("/home/ann");
	expect(expandHome("~bob/a", "/home/ann")).toBe("~bob/a");
	expect(expandHome("/a/~/b", "/home/ann")).toBe("/a/~/b");
	expect(shortenHome("/home/ann/a", "/home/ann")).toBe("~/a");
	expect(shortenHome("/home/ann", "/home/ann")).toBe("~");
	expect(shortenHome("/home/anna/a", "/home/ann")).toBe("/home/anna/a");
});

describe("a home that cannot be used", () => {
	test("is refused if it is relative", () => {
		expect(() => homeOf({ HOME: "home" })).toThrow("HOME is not an absolute path: home.");
		expect(() => dirs({ HOME: "home" })).toThrow("HOME is not an absolute path: home.");
	});

	test("is refused if it is a file, and accepted if it does not exist", () => {
		using home = freshHome();
		const file = join(home.path, "file");
		writeFileSync(file, "");
		expect(() => checkHome({ HOME: file })).toThrow(`HOME is not a directory: ${file}.`);
		checkHome({ HOME: join(home.path, "missing") });
		checkHome({ HOME: home.path });
	});

	test("is refused if nobody may enter it", () => {
		using home = freshHome();
		chmodSync(home.path, 0);
		// Root may enter every directory.
		if (process.getuid?.() === 0) checkHome({ HOME: home.path });
		else expect(() => checkHome({ HOME: home.path })).toThrow(`You have no access to HOME, ${home.path}.`);
		chmodSync(home.path, 0o700);
	});

	test("is refused if Tau's own directory in it cannot be entered, with what gives it back", () => {
		using home = freshHome();
		const agent = join(home.path, ".tau/agent");
		mkdirSync(agent, { recursive: true });
		chmodSync(agent, 0);
		if (process.getuid?.() === 0) checkHome({ HOME: home.path });
		else
			expect(() => checkHome({ HOME: home.path })).toThrow(
				`You have no access to ${agent}. Run: chmod u+rwx ${agent}`,
			);
		chmodSync(agent, 0o700);
	});

	test("is not written as ~ if it is the root directory", () => {
		expect(shortenHome("/usr/lib", "/")).toBe("/usr/lib");
	});
});
