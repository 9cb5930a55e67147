/** The sandbox of a session follows its settings and its approval mode. */
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";

import { localMachine } from "@tau/sys";
import { withSandbox } from "@tau/machines/sandbox";
import { neededForLandlock } from "@tau/machines/sandbox/testing";
import { dirs } from "@tau/utils";

import { needs } from "../../../../test/support/needs.ts";
import { Settings } from "@tau/config/settings";
import { SessionSandbox, type SandboxPolicy } from "./session-sandbox.ts";

const sandboxed = needs("bwrap", "nsenter");
let root = "";
beforeEach(() => void (root = realpathSync(mkdtempSync(join(homedir(), ".tau-session-sandbox-")))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface Box extends AsyncDisposable {
	readonly cwd: string;
	readonly sandbox: SessionSandbox;
	readonly settings: Settings;
	run(command: string): Promise<string>;
}

async function open(
	policy: SandboxPolicy = {},
	files: Record<string, string> = {},
	more: Record<string, string> = {},
): Promise<Box> {
	const cwd = join(root, "project");
	mkdirSync(join(cwd, "sub"), { recursive: true });
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(join(root, path, ".."), { recursive: true });
		writeFileSync(join(root, path), text);
	}
	const settings = await Settings.load({ cwd, agentDir: join(root, "agent") });
	const env = { PATH: process.env.PATH ?? "", HOME: join(root, "home"), TAU_SANDBOX: "auto", ...more };
	const sandbox = new SessionSandbox({ cwd, env, settings, policy });
	const session = withSandbox(localMachine(), sandbox.launcher).shell.session({ cwd, env });
	return {
		cwd,
		sandbox,
		settings,
		async run(command) {
			let text = "";
			await session.run({
				command,
				timeoutMs: 20_000,
				signal: new AbortController().signal,
				onOutput: (chunk) => void (text += new TextDecoder().decode(chunk)),
			});
			return text;
		},
		async [Symbol.asyncDispose]() {
			await session[Symbol.asyncDispose]();
			await sandbox[Symbol.asyncDispose]();
		},
	};
}

sandboxed("in plan mode only the temporary directory is writable", async () => {
	await using box = await open({ mode: () => "plan" });
	const text = await box.run("echo x > file; echo x > /tmp/file && cat /tmp/file");
	expect(text).toContain("Read-only file system");
	expect(text).toEndWith("x\n");
	expect(existsSync(join(box.cwd, "file"))).toBe(false);
});

sandboxed(
	"a hidden entry that the user makes in a home project is protected from the next command on",
	async () => {
		await using box = await open({}, {}, { HOME: join(root, "project") });
		await box.run("cd sub");
		writeFileSync(join(box.cwd, ".foorc"), "mine\n");
		expect(await box.run("echo evil > ../.foorc; pwd")).toEndWith(`Read-only file system\n${box.cwd}/sub\n`);
		expect(readFileSync(join(box.cwd, ".foorc"), "utf8")).toBe("mine\n");
	},
);

sandboxed("a change of the mode restarts the shell where it was", async () => {
	let mode = "auto";
	await using box = await open({ mode: () => mode });
	await box.run("cd sub; export KEPT=1; echo x > file; echo temporary > /tmp/file");
	mode = "plan";
	expect(await box.run("pwd; echo $KEPT; echo x > other")).toMatch(/\/sub\n1\n.*Read-only/);
	expect(await box.run("cat /tmp/file")).toBe("temporary\n");
	mode = "auto";
	expect(await box.run("pwd; echo $KEPT; echo x > other && ls")).toBe(`${box.cwd}/sub\n1\nfile\nother\n`);
	mode = "full";
	// Outside: what was set inside could take commands over.
	expect(await box.run("pwd; echo $KEPT; readlink /proc/self/ns/pid; echo $TAU_SANDBOXED")).toMatch(
		/\/sub\n\npid:\[\d+\]\n\n$/,
	);
});

sandboxed("a setting that changes applies to the next command", async () => {
	await using box = await open({ mode: () => "auto" }, { "other/file": "" });
	const write = `echo x > ${root}/other/file`;
	expect(await box.run(write)).toContain("Read-only");
	await box.settings.set("sandbox.writable", [join(root, "other")], "session");
	expect(await box.run(write)).toBe("");
});

needs(
	"bwrap",
	"nsenter",
	"git",
)("a repository that appears is protected from the next command on", async () => {
	await using box = await open();
	await box.run("git init -q; A=kept");
	expect(await box.run("echo $A; echo evil > .git/hooks/pre-commit; echo evil >> .git/config")).toMatch(
		/^kept\n.*Read-only.*\n.*Read-only.*\n$/,
	);
});

const withGit = needs("bwrap", "nsenter", "git");

withGit(
	"regression: no command runs while git is told a name that is not text, and then all do",
	async () => {
		await using box = await open({ mode: () => "auto" });
		expect(await box.run("git init -q; echo A")).toEndWith("A\n");
		const settings = join(box.cwd, ".git/config");
		const own = readFileSync(settings);
		writeFileSync(settings, Buffer.concat([own, Buffer.from("[core]\n\thooksPath = .h\xff\n", "latin1")]));
		await expect(box.run("echo x > made")).rejects.toThrow("is not text");
		await expect(box.run("echo x > made")).rejects.toThrow("is not text");
		expect(existsSync(join(box.cwd, "made"))).toBe(false);
		writeFileSync(settings, own);
		expect(await box.run("echo B")).toBe("B\n");
	},
);

const plant = "echo evil > .githooks/post-checkout; echo $A";
const refused = /^.*Read-only.*\nkept\n$/;

/** The user's git, outside. */
function git(cwd: string, ...args: string[]): void {
	const env = { PATH: process.env.PATH, HOME: join(root, "home"), GIT_CONFIG_NOSYSTEM: "1" };
	const { success, stderr } = Bun.spawnSync(["git", ...args], { cwd, env });
	if (!success) throw new Error(stderr.toString());
}

withGit(
	"regression: hooks that the user's settings name from now on are protected from the next command on",
	async () => {
		for (const [index, scope] of ["--global", "--local"].entries()) {
			const files = { "project/.githooks/x": "", "home/.gitconfig": "[user]\n\tname = u\n" };
			await using box = await open({}, files);
			if (index === 0) git(box.cwd, "init", "-q");
			expect(await box.run(`A=kept; ${plant}; rm .githooks/post-checkout`)).toBe("kept\n");
			git(box.cwd, "config", scope, "core.hooksPath", ".githooks");
			expect(await box.run(plant)).toMatch(refused);
			// The former sandbox does not take back what the user has set.
			await box.sandbox[Symbol.asyncDispose]();
			git(box.cwd, "config", scope, "--unset", "core.hooksPath");
		}
	},
);

withGit("regression: so are hooks in a directory that the user's git has replaced", async () => {
	await using box = await open({}, { "project/.githooks/x": "" });
	git(box.cwd, "init", "-q");
	git(box.cwd, "config", "core.hooksPath", ".githooks");
	expect(await box.run(`A=kept; ${plant}`)).toMatch(refused);
	renameSync(join(box.cwd, ".githooks"), join(root, "former"));
	mkdirSync(join(box.cwd, ".githooks"));
	expect(await box.run(plant)).toMatch(refused);
});

needs(...neededForLandlock, "git")("the same with Landlock", async () => {
	await using box = await open({}, { "project/.githooks/x": "" }, { TAU_BWRAP: "/nonexistent" });
	git(box.cwd, "init", "-q");
	await box.run(plant);
	rmSync(join(box.cwd, ".githooks/post-checkout"));
	git(box.cwd, "config", "core.hooksPath", ".githooks");
	await box.run(plant);
	expect(existsSync(join(box.cwd, ".githooks/post-checkout"))).toBe(false);
});

sandboxed("regression: so is a script that the user's .envrc names from now on", async () => {
	await using box = await open({}, { "project/.envrc": "", "project/vars.sh": "" });
	expect(await box.run("A=kept; echo fine > vars.sh; echo $A")).toBe("kept\n");
	writeFileSync(join(box.cwd, ".envrc"), "source vars.sh\n");
	expect(await box.run("echo evil > vars.sh; echo $A")).toMatch(refused);
	expect(readFileSync(join(box.cwd, "vars.sh"), "utf8")).toBe("fine\n");
});

for (const directory of [".git/hooks", ".githooks"])
	withGit(
		`regression: so is a script that a link of the user in ${directory} leads to from now on`,
		async () => {
			await using box = await open({}, { "project/co.sh": "", "project/.githooks/x": "" });
			git(box.cwd, "init", "-q");
			git(box.cwd, "config", "core.hooksPath", directory);
			expect(await box.run("A=kept; echo fine > co.sh; echo $A")).toBe("kept\n");
			symlinkSync(join(box.cwd, "co.sh"), join(box.cwd, directory, "post-checkout"));
			expect(await box.run("echo evil > co.sh; echo $A")).toMatch(refused);
			expect(readFileSync(join(box.cwd, "co.sh"), "utf8")).toBe("fine\n");
		},
	);

withGit("other settings of the user keep the sandbox, with the servers in it", async () => {
	await using box = await open();
	git(box.cwd, "init", "-q");
	const namespace = await box.run("readlink /proc/self/ns/net");
	git(box.cwd, "config", "alias.st", "status");
	git(box.cwd, "config", "--global", "user.name", "u");
	expect(await box.run("readlink /proc/self/ns/net")).toBe(namespace);
});

sandboxed("a project that was moved says where it is now, and runs no command until it is back", async () => {
	await using box = await open();
	await box.run("true");
	const moved = join(root, "moved");
	renameSync(box.cwd, moved);
	const said = `The project is no longer at ${box.cwd}: it was moved to ${moved}. Start Tau there, or move it back.`;
	expect(await box.run("true").catch(String)).toBe(`Error: ${said}`);
	renameSync(moved, box.cwd);
	expect(await box.run("pwd")).toBe(`${box.cwd}\n`);
});

sandboxed("a project can hide paths", async () => {
	await using box = await open(
		{},
		{ "project/.tau/config.yml": `sandbox:\n  hidden: [${root}/data]\n`, "data/file": "text" },
	);
	expect(await box.run(`cat ${root}/data/file`)).toContain("Permission denied");
});

sandboxed("Tau's own files are hidden wherever variables have moved them", async () => {
	const files = {
		"moved/agent/credentials": "secret",
		"moved/logs/log": "secret",
		"home/.local/share/tau/sessions/s": "secret",
	};
	const more = { TAU_CONFIG_DIR: join(root, "moved") };
	const cat = "cat ../moved/agent/credentials ../moved/logs/log ../home/.local/share/tau/sessions/s";
	await using box = await open({}, files, more);
	const text = await box.run(cat);
	expect(text.match(/secret/g)).toHaveLength(1);
	await using other = await open({}, files, { XDG_DATA_HOME: join(root, "home/.local/share") });
	expect(await other.run("cat ../home/.local/share/tau/sessions/s")).toContain("Permission denied");
});

sandboxed("a host is asked about by name, and refused where nobody answers", async () => {
	const asked: string[] = [];
	await using box = await open({
		mode: () => "auto",
		canAsk: () => true,
		requestHost: async (host, port) => {
			asked.push(`${host}:${port}`);
			return false;
		},
	});
	const since = performance.now();
	const text = await box.run(
		"bash -c 'exec 3<>/dev/tcp/127.0.0.1/47128; printf \"GET http://a.example/ HTTP/1.1\\r\\n\\r\\n\" >&3; cat <&3'",
	);
	expect(text).toContain("403 Forbidden");
	expect(asked).toEqual(["a.example:80"]);
	const [denial] = await box.sandbox.denials(text, box.cwd, since);
	expect(denial?.what).toContain("the connection to a.example:80 was refused");
});

describe("a rule for hosts", () => {
	const cases: [rule: string, host: string, port: number, allows: boolean][] = [
		["example.org", "example.org", 443, true],
		["example.org", "EXAMPLE.org.", 80, true],
		["example.org", "example.org", 8443, false],
		["example.org:8443", "example.org", 8443, true],
		["example.org:*", "example.org", 22, true],
		["example.org", "a.example.org", 443, false],
		["*.example.org", "a.example.org", 443, true],
		["*.example.org", "example.org", 443, false],
		["*.example.org", "evilexample.org", 443, false],
		["*", "anything.example", 443, true],
		["", "example.org", 443, false],
	];
	test.each(cases)("%s and %s:%d: %p", async (rule, host, port, allows) => {
		await using box = await open();
		await box.settings.set("sandbox.network.allow", [rule || "other.example"], "session");
		const { network } = await box.sandbox.profile();
		if (typeof network !== "object") throw new Error("There are no rules.");
		expect(await network.allow(host, port)).toBe(allows);
	});
});

needs(
	"bwrap",
	"nsenter",
	"overlay",
)("commands of an isolated agent are in the sandbox and in its tree", async () => {
	await using box = await open({}, { "project/file.txt": "old\n", "home/.ssh/id": "key\n" });
	const { isolate } = await import("@tau/machines/isolation");
	const { signal } = new AbortController();
	const mode = "overlay";
	const options = { root: box.cwd, cwd: box.cwd, mode, directory: join(root, "trees"), signal } as const;
	await using tree = await isolate(localMachine(), options);
	const env = { PATH: process.env.PATH ?? "", HOME: join(root, "home"), TAU_SANDBOX: "required" };
	await using sandbox = new SessionSandbox({ cwd: box.cwd, env, settings: box.settings, tree });
	const machine = withSandbox(tree.machine, sandbox.launcher);
	await using session = machine.shell.session({ cwd: box.cwd, env });
	let text = "";
	await session.run({
		command:
			"echo new > file.txt; mkdir made; cd made; pwd; touch /etc/x 2>/dev/null || echo refused; cat ~/.ssh/id 2>/dev/null || echo hidden",
		timeoutMs: 20_000,
		signal,
		onOutput: (chunk) => void (text += new TextDecoder().decode(chunk)),
	});
	expect(text).toBe(`${join(box.cwd, "made")}\nrefused\nhidden\n`);
	// A directory that only the tree has is where the next command starts.
	expect(session.cwd).toBe(join(box.cwd, "made"));
	expect(await box.run("cat file.txt; ls")).toBe("old\nfile.txt\nsub\n");
	expect(await machine.files.readText("file", join(box.cwd, "file.txt"))).toMatchObject({ text: "new\n" });
	expect((await tree.merge({ signal })).merged).toEqual([{ path: "file.txt", kind: "changed" }]);
	expect(await box.run("cat file.txt")).toBe("new\n");
});

/** Runs a command of an agent in a copy of the project that is in Tau's own directory. */
async function runInCopy(mode: "auto" | "copy", box: Box, more: Record<string, string>): Promise<string> {
	const overlayProblem = await box.sandbox.overlayProblem();
	const { signal } = new AbortController();
	const env = { PATH: process.env.PATH ?? "", HOME: join(root, "home"), TAU_SANDBOX: "required", ...more };
	const { isolate } = await import("@tau/machines/isolation");
	const where = { root: box.cwd, cwd: box.cwd, directory: dirs(env).trees };
	await using tree = await isolate(localMachine(), { ...where, mode, overlayProblem, signal });
	expect(tree.mode).toBe("copy");
	await using sandbox = new SessionSandbox({ cwd: tree.cwd, env, settings: box.settings, tree });
	await using session = withSandbox(tree.machine, sandbox.launcher).shell.session({ cwd: tree.cwd, env });
	let text = "";
	await session.run({
		command: `echo new > file.txt; cat file.txt; echo x 2>/dev/null > ${box.cwd}/file.txt || echo refused`,
		timeoutMs: 20_000,
		signal,
		onOutput: (chunk) => void (text += new TextDecoder().decode(chunk)),
	});
	expect((await tree.merge({ signal })).merged).toEqual([{ path: "file.txt", kind: "changed" }]);
	return text;
}

sandboxed("commands of an isolated agent run in a copy that is in Tau's directory", async () => {
	await using box = await open({}, { "project/file.txt": "old\n" });
	expect(await box.sandbox.overlayProblem()).toBeUndefined();
	expect(await runInCopy("copy", box, {})).toBe("new\nrefused\n");
});

test("where there is only Landlock, an agent gets another tree than an overlay", async () => {
	const more = { TAU_BWRAP: "/nonexistent/bwrap" };
	await using box = await open({}, { "project/file.txt": "old\n" }, more);
	const { kind } = await box.sandbox.support();
	const problem = await box.sandbox.overlayProblem();
	// Without either, commands do not run in the sandbox that this test requires.
	if (kind !== "landlock") return expect(problem).toBeUndefined();
	expect(problem).toContain("Install bubblewrap");
	expect(await runInCopy("auto", box, more)).toBe("new\nrefused\n");
});
