/** Git runs only where allowed, gets no keys, and starts no program that a repository names. */
import { afterEach, beforeEach, describe, expect } from "bun:test";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { inheritedGitEnvironment } from "./environment.ts";
import { runGit, type GitOutcome, type GitRequest } from "./run-git.ts";

let base = "";
let root = "";
let home = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(tmpdir(), "tau-run-git-")));
	[root, home] = [join(base, "work"), join(base, "home")];
	for (const directory of [root, home]) mkdirSync(directory);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const env = (more: Record<string, string> = {}): Record<string, string> => ({
	PATH: process.env.PATH ?? "",
	HOME: home,
	GIT_CONFIG_NOSYSTEM: "1",
	...more,
});

function setUp(...args: string[]): string {
	const who = ["-c", "user.name=t", "-c", "user.email=t@t"];
	const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...who, ...args], { cwd: root, env: env() });
	if (exitCode !== 0) throw new Error(stderr.toString());
	return stdout.toString().trim();
}

function commitFile(name: string, text: string): void {
	writeFileSync(join(root, name), text);
	setUp("add", ".");
	setUp("commit", "-q", "-m", name);
}

/** A program that records its name and its environment. */
function trap(name: string, then = "cat"): string {
	const path = join(base, `${name}.sh`);
	writeFileSync(path, `#!/bin/sh\nenv > ${base}/ran-${name}\n${then}\n`);
	chmodSync(path, 0o755);
	return path;
}

const ran = (name: string): boolean => existsSync(join(base, `ran-${name}`));

function run(args: GitRequest["args"], more: Partial<GitRequest> = {}): Promise<GitOutcome> {
	return runGit({
		where: { kind: "project", isTrusted: true },
		args,
		cwd: root,
		env: env(),
		timeoutMs: 20_000,
		maxBytes: 1024 * 1024,
		...more,
	});
}

describe("a hostile repository", () => {
	beforeEach(() => {
		setUp("init", "-q", "-b", "main");
		commitFile("a.txt", "one\n");
		commitFile(".gitattributes", "*.txt diff=evil filter=evil\n");
		writeFileSync(
			join(root, ".git/evil.inc"),
			`[core]\n\tfsmonitor = ${trap("fsmonitor", "true")}\n\thooksPath = ${base}/hooks\n[diff]\n\texternal = ${trap("external", "true")}\n[diff "evil"]\n\ttextconv = ${trap("textconv", 'cat "$1"')}\n\tcommand = ${trap("command", "true")}\n[filter "evil"]\n\tclean = ${trap("clean")}\n`,
		);
		writeFileSync(
			join(root, ".git/config"),
			`${readFileSync(join(root, ".git/config"), "utf8")}[includeIf "gitdir:${root}/"]\n\tpath = evil.inc\n`,
		);
		mkdirSync(join(base, "hooks"));
		for (const hook of ["post-index-change", "fsmonitor-watchman", "post-checkout"]) {
			writeFileSync(join(base, "hooks", hook), readFileSync(trap("hook", "true")));
			chmodSync(join(base, "hooks", hook), 0o755);
		}
		writeFileSync(join(root, "a.txt"), "two\n");
	});

	needs("git")("would run programs with a plain git", () => {
		setUp("status", "--porcelain");
		setUp("diff");
		expect(["fsmonitor", "clean", "command"].map(ran)).toEqual([true, true, true]);
	});

	needs("git")("starts nothing while it is not trusted", async () => {
		const where = { kind: "project", isTrusted: false } as const;
		for (const args of [["status", "--porcelain"], ["diff"]] as const)
			expect(await run(args, { where })).toMatchObject({ ok: false, reason: "untrusted" });
		expect(["fsmonitor", "clean", "command", "external", "textconv", "hook"].filter(ran)).toEqual([]);
	});

	needs("git")("when it is trusted runs its filters, without keys, and nothing else", async () => {
		const secrets = { ANTHROPIC_API_KEY: "sk-secret", GH_TOKEN: "ghp-secret", SSH_AUTH_SOCK: "/sock-secret" };
		const options = { env: env(secrets) };
		expect(await run(["status", "--porcelain"], options)).toEqual({ ok: true, output: " M a.txt\n" });
		const diff = await run(["diff", "HEAD", "--", "a.txt"], options);
		expect(diff.ok && diff.output).toContain("-one\n+two\n");
		expect(["fsmonitor", "command", "external", "textconv", "hook"].filter(ran)).toEqual([]);
		const seen = readFileSync(join(base, "ran-clean"), "utf8");
		expect(seen).toContain(`HOME=${home}`);
		expect(seen).not.toContain("secret");
	});

	needs("git")("fetches nothing that it lacks", async () => {
		const commit = setUp("rev-parse", "HEAD:a.txt");
		rmSync(join(root, ".git/objects", commit.slice(0, 2), commit.slice(2)));
		const helper = trap("remote", "true");
		const config = join(root, ".git/config");
		writeFileSync(
			config,
			`${readFileSync(config, "utf8")}[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = ext::${helper}\n\tpromisor = true\n[protocol "ext"]\n\tallow = always\n[protocol]\n\tallow = always\n`,
		);
		Bun.spawnSync(["git", "diff"], { cwd: root, env: env() });
		expect(ran("remote")).toBe(true);
		rmSync(join(base, "ran-remote"));
		expect(await run(["diff", "HEAD"])).toMatchObject({ ok: false, reason: "failed" });
		expect(ran("remote")).toBe(false);
	});
});

needs("git")("regression: a repository that was added as a submodule runs no filter", async () => {
	setUp("init", "-q", "-b", "main");
	commitFile("a.txt", "one\n");
	const inner = join(root, "inner");
	mkdirSync(inner);
	const git = (...args: string[]): void =>
		void Bun.spawnSync(["git", "-c", "user.name=x", "-c", "user.email=x@y", ...args], {
			cwd: inner,
			env: env(),
		});
	git("init", "-q");
	writeFileSync(join(inner, "file"), "one");
	writeFileSync(join(inner, ".gitattributes"), "* filter=evil\n");
	git("add", ".");
	git("commit", "-qm", "first");
	git("config", "filter.evil.clean", trap("inner"));
	setUp("add", "inner");
	// As long as before: a file of another length is changed without a look at its content.
	writeFileSync(join(inner, "file"), "two");
	for (const args of [
		["status", "--porcelain"],
		["diff", "HEAD"],
	] as const)
		expect(await run(args)).toMatchObject({ ok: true });
	expect(ran("inner")).toBe(false);
	setUp("status", "--porcelain");
	expect(ran("inner")).toBe(true);
});

needs("git")("variables of the environment cannot point git at another repository", async () => {
	setUp("init", "-q", "-b", "main");
	const other = join(base, "other");
	mkdirSync(other);
	Bun.spawnSync(["git", "init", "-q", "--bare"], { cwd: other, env: env() });
	writeFileSync(
		join(other, "config"),
		`[core]\n\tbare = false\n\tworktree = ${root}\n\tfsmonitor = ${trap("fsmonitor", "true")}\n`,
	);
	const hostile = {
		GIT_DIR: other,
		GIT_WORK_TREE: root,
		GIT_INDEX_FILE: join(other, "index"),
		GIT_CONFIG_COUNT: "1",
		GIT_CONFIG_KEY_0: "core.fsmonitor",
		GIT_CONFIG_VALUE_0: trap("fsmonitor", "true"),
		GIT_EXTERNAL_DIFF: trap("external", "true"),
		GIT_TRACE: join(base, "trace"),
	};
	expect(await run(["rev-parse", "--absolute-git-dir"], { env: env(hostile) })).toEqual({
		ok: true,
		output: `${join(root, ".git")}\n`,
	});
	expect((await run(["status"], { env: env(hostile) })).ok).toBe(true);
	expect([ran("fsmonitor"), ran("external"), existsSync(join(base, "trace"))]).toEqual([false, false, false]);
});

needs("git")(
	"a folder that looks like a bare repository is not one, also inside a trusted project",
	async () => {
		setUp("init", "-q", "-b", "main");
		const bare = join(root, "bare");
		mkdirSync(bare);
		Bun.spawnSync(["git", "init", "-q", "--bare"], { cwd: bare, env: env() });
		writeFileSync(
			join(bare, "config"),
			`[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = ${trap("fsmonitor", "true")}\n`,
		);
		const outcome = await run(["rev-parse", "--absolute-git-dir"], { cwd: bare });
		expect(outcome).toEqual({ ok: true, output: `${join(root, ".git")}\n` });
		rmSync(join(base, "work/.git"), { recursive: true });
		expect(await run(["status"], { cwd: bare })).toMatchObject({ ok: false, reason: "no-repository" });
		expect(ran("fsmonitor")).toBe(false);
	},
);

needs("git")("a program in a relative directory of PATH is never run as git", async () => {
	setUp("init", "-q", "-b", "main");
	writeFileSync(join(root, "git"), readFileSync(trap("git", "true")));
	chmodSync(join(root, "git"), 0o755);
	const path = `.:${process.env.PATH}`;
	expect((await run(["status"], { env: env({ PATH: path }) })).ok).toBe(true);
	expect(ran("git")).toBe(false);
	expect(await run(["status"], { env: env({ PATH: "." }) })).toMatchObject({
		ok: false,
		reason: "not-installed",
	});
});

describe("limits", () => {
	const slow = (): string => {
		const bin = join(base, "bin");
		mkdirSync(bin);
		writeFileSync(join(bin, "git"), "#!/bin/sh\nif [ -f go ]; then yes; fi\nsleep 300 & wait\n");
		chmodSync(join(bin, "git"), 0o755);
		return `${bin}:${process.env.PATH}`;
	};
	beforeEach(() => void setUp("init", "-q", "-b", "main"));

	needs("git")("git that takes too long is killed with its children", async () => {
		const outcome = await run(["status"], { env: env({ PATH: slow() }), timeoutMs: 50 });
		expect(outcome).toEqual({ ok: false, reason: "timeout", message: "git did not finish within 0.05 s" });
	});

	needs("git")("a filter of the project does not run where its settings are too many to read", async () => {
		commitFile(".gitattributes", "*.txt filter=own\n");
		commitFile("a.txt", "one\n");
		writeFileSync(join(root, "own.sh"), readFileSync(trap("own")), { mode: 0o755 });
		const config = join(root, ".git/config");
		const padding = `[filter "${"x".repeat(500)}"]\n${`\tclean = ${"y".repeat(900)}\n`.repeat(1200)}`;
		writeFileSync(
			config,
			`${readFileSync(config, "utf8")}[filter "own"]\n\tclean = ${root}/own.sh\n${padding}`,
		);
		writeFileSync(join(root, "a.txt"), "two\n");
		expect(await run(["status"])).toMatchObject({ ok: false, reason: "too-large" });
		expect(ran("own")).toBe(false);
	});

	needs("git")("git is killed by an abort, and not started after one", async () => {
		const stop = new AbortController();
		const running = run(["status"], { env: env({ PATH: slow() }), signal: stop.signal });
		stop.abort();
		expect(await running).toMatchObject({ ok: false, reason: "aborted" });
		expect(await run(["status"], { signal: stop.signal })).toMatchObject({ reason: "aborted" });
	});

	needs("git")("git that prints without end is killed", async () => {
		writeFileSync(join(root, "go"), "");
		const outcome = await run(["status"], { env: env({ PATH: slow() }), maxBytes: 1000 });
		expect(outcome).toMatchObject({ ok: false, reason: "too-large" });
	});

	needs("git")("git's messages are shown without control sequences and passwords", async () => {
		const outcome = await run(["log", "https://me:hunter2@host/\x1b[31m"]);
		expect(outcome).toMatchObject({ ok: false, reason: "failed" });
		const message = outcome.ok ? "" : outcome.message;
		expect(message).toContain("fatal:");
		expect(message).not.toContain("\x1b");
		expect(message).not.toContain("hunter2");
	});
});

describe("a transfer", () => {
	needs("git")("does not see the repository around its directory", async () => {
		setUp("init", "-q", "-b", "main");
		const below = join(root, "below");
		mkdirSync(below);
		const where = { kind: "transfer" } as const;
		expect(await run(["rev-parse", "--git-dir"], { where, cwd: below })).toMatchObject({ ok: false });
		commitFile("a", "a");
		const listed = await run(["ls-remote", "--", `file://${root}`, "HEAD"], {
			where: { ...where, outside: true },
		});
		expect(listed).toEqual({ ok: true, output: `${setUp("rev-parse", "HEAD")}\tHEAD\n` });
	});

	needs("git")("uses the user's agent and helpers, and no keys of models", async () => {
		setUp("init", "-q", "-b", "main");
		const more = {
			ANTHROPIC_API_KEY: "sk-secret",
			SSH_AUTH_SOCK: "/agent",
			SSH_ASKPASS: "/askpass",
			GIT_SSH_COMMAND: trap("ssh", "exit 1"),
			HTTPS_PROXY: "http://proxy",
		};
		const where = { kind: "transfer" } as const;
		await run(["ls-remote", "ssh://host/x"], { where, env: env(more) });
		const seen = readFileSync(join(base, "ran-ssh"), "utf8");
		for (const text of ["SSH_AUTH_SOCK=/agent", "HTTPS_PROXY=http://proxy", "GIT_TERMINAL_PROMPT=0"])
			expect(seen).toContain(text);
		for (const text of ["secret", "askpass"]) expect(seen).not.toContain(text);
		writeFileSync(
			join(home, ".gitconfig"),
			`[credential]\n\thelper = "!${trap("helper", "echo username=me; echo password=pw")}"\n`,
		);
		using server = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: (request) => {
				authorizations.push(request.headers.get("authorization") ?? "none");
				return new Response("", { status: 401, headers: { "www-authenticate": 'Basic realm="x"' } });
			},
		});
		const authorizations: string[] = [];
		await run(["ls-remote", `http://127.0.0.1:${server.port}/x`], { where });
		expect(authorizations).toContain(`Basic ${btoa("me:pw")}`);
	});
});

needs("git")("git that another program starts has hooks disabled, after the user's own settings", () => {
	const own = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "user.name", GIT_CONFIG_VALUE_0: "me" };
	const inherited = inheritedGitEnvironment(env({ ...own, OPENAI_API_KEY: "sk", GIT_DIR: base }));
	expect([inherited.OPENAI_API_KEY, inherited.GIT_DIR]).toEqual([undefined, undefined]);
	const get = (key: string): string =>
		Bun.spawnSync(["git", "config", key], { cwd: base, env: inherited }).stdout.toString().trim();
	expect([get("user.name"), get("core.hooksPath"), get("core.fsmonitor")]).toEqual([
		"me",
		"/dev/null",
		"false",
	]);
});

describe("a program of the settings that is a file of the project", () => {
	const filter = (): void => {
		writeFileSync(join(root, ".gitattributes"), "*.txt filter=x\n");
		mkdirSync(join(root, "tools"));
		const script = join(root, "tools/f.sh");
		writeFileSync(script, `#!/bin/sh\ntouch ${base}/ran-filter\ncat\n`);
		chmodSync(script, 0o755);
		commitFile("a.txt", "one\n");
		writeFileSync(join(root, "a.txt"), "two\n");
	};
	const commands = ["tools/f.sh", "sh ./tools/f.sh %f", '"$PWD"/../work/tools/f.sh; sh tools/f.sh'];

	for (const command of commands)
		needs("git")(`does not run when Tau compares: ${command}`, async () => {
			setUp("init", "-q");
			filter();
			for (const key of ["clean", "smudge"]) setUp("config", `filter.x.${key}`, command);
			setUp("config", "filter.x.required", "true");
			for (const args of [["status", "--porcelain"], ["diff"], ["diff-files"]] as const) {
				expect(await run([...args] as GitRequest["args"])).toMatchObject({ ok: true });
				expect(ran("filter")).toBe(false);
			}
			expect((await run(["status", "--porcelain"])) as object).toMatchObject({ output: " M a.txt\n" });
		});

	needs("git")("keeps Tau from storing what it should have converted, with the reason", async () => {
		setUp("init", "-q");
		filter();
		setUp("config", "filter.x.clean", "tools/f.sh");
		expect(await run(["add", "a.txt"])).toMatchObject({
			ok: false,
			message: expect.stringContaining("filter.x.clean runs tools/f.sh of the project"),
		});
		expect(ran("filter")).toBe(false);
	});

	const loads = async (command: string): Promise<void> => {
		setUp("init", "-q");
		filter();
		writeFileSync(join(root, "strip.py"), `open("${base}/ran-filter", "w")\n`);
		for (const key of ["clean", "smudge"]) setUp("config", `filter.x.${key}`, command);
		expect((await run(["status", "--porcelain"])) as object).toMatchObject({
			output: expect.stringContaining(" M a.txt\n"),
		});
		for (const args of [
			["add", "a.txt"],
			["cat-file", "--filters", "HEAD:a.txt"],
		] as const)
			expect(await run([...args] as GitRequest["args"])).toMatchObject({ ok: false });
		expect(await run(["cat-file", "blob", "HEAD:a.txt"])).toMatchObject({ ok: true, output: "one\n" });
		expect(ran("filter")).toBe(false);
	};
	for (const command of ['"python3" -m strip', "env -i python3 -m strip", "npx strip"])
		needs("git", "python3")(`nor one that loads files of the project: ${command}`, () => loads(command));

	needs("git")("does not run where Tau asks for a converted version", async () => {
		setUp("init", "-q");
		filter();
		setUp("config", "filter.x.smudge", "tools/f.sh");
		expect(await run(["cat-file", "--filters", "HEAD:a.txt"])).toMatchObject({ ok: false });
		expect(ran("filter")).toBe(false);
	});

	needs("git")("is told from a program of the user, which still converts", async () => {
		setUp("init", "-q");
		filter();
		setUp("config", "filter.x.clean", trap("filter"));
		expect(await run(["add", "a.txt"])).toMatchObject({ ok: true });
		expect(ran("filter")).toBe(true);
	});
});
