/** File tools ask before they read what the sandbox hides from commands. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { secrets } from "@tau/machines/sandbox";
import { runtimeDirectory } from "@tau/utils";

import { bash, fixture, outcomeOf, read, useDirectories, write } from "../../../../test/support/policy.ts";
import { needs } from "../../../../test/support/needs.ts";
import { protectedLocations } from "./protected-locations.ts";
import { mayBeSecret, protection, secretsBelow } from "./protected-paths.ts";

let base = "";
let home = "";
let project = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(tmpdir(), "tau-secrets-")));
	({ home, project } = useDirectories(base));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe("what is hidden from commands is asked about by tools", () => {
	test.each(secrets.map((row) => [row.what, row] as const))("%s", async (_, row) => {
		const { home: names = [], asked = names, system = [] } = row;
		const { policy, judge } = await fixture({ mode: "auto", boundary: "sandbox" });
		for (const path of [...asked.map((name) => join(home, name)), ...system]) {
			expect([path, await outcomeOf({ mode: "auto", boundary: "sandbox" }, read(path))]).toEqual([
				path,
				"ask",
			]);
			await judge(read(path));
			expect([path, policy.isHidden(path)]).toEqual([path, true]);
		}
		// What tools ask about is never visible to commands.
		for (const name of asked)
			expect(names.some((hidden) => name === hidden || name.startsWith(`${hidden}/`))).toBe(true);
	});
});

test("the user's settings of git are a secret while they hold one, also for git config", async () => {
	const outcome = (command: string): Promise<string> => outcomeOf({ mode: "auto" }, bash(command));
	const shows = [
		"cat ~/.gitconfig",
		"git config -l",
		"git config --global --list",
		"git config github.token",
		"git config --get user.password",
	];
	const ordinary =
		"[user]\n\tname = ann\n\tsigningkey = 3AA5C34371567BD23AA5C34371567BD2\n[core]\n\taskpass = x\n";
	const hold = [
		"[github]\n\ttoken = x\n",
		"[sendemail]\n\tsmtpPass = x\n",
		'[http "https://example.org/"]\n\textraHeader = x\n',
		'[url "https://ann:pw123456@example.org/"]\n\tinsteadOf = https://example.org/\n',
		"[include]\n\tpath = .gitconfig.local\n",
		`[url "https://x-access-token:ghp_${"aB3dE6gH9jK2mN5pQ8".repeat(2)}@github.com/"]\n\tinsteadOf = https://github.com/\n`,
		"[user]\n\tpassword = x\n",
	];
	writeFileSync(join(home, ".gitconfig.local"), "[github]\n\ttoken = x\n");
	for (const more of ["", ...hold]) {
		writeFileSync(join(home, ".gitconfig"), ordinary + more);
		for (const command of shows)
			expect([more, command, await outcome(command)]).toEqual([more, command, more === "" ? "allow" : "ask"]);
		for (const command of ["git config user.name", "git config --local -l", "git config remote.origin.url"])
			expect([command, await outcome(command)]).toEqual([command, "allow"]);
	}
	mkdirSync(join(home, ".config/git"), { recursive: true });
	expect(await outcome("grep -r x ~/.config/git")).toBe("allow");
	writeFileSync(join(home, ".config/git/config"), "[github]\n\ttoken = x\n");
	expect(await outcome("grep -r x ~/.config/git")).toBe("ask");
});

test("regression: a browser that no list names is known by its files", async () => {
	const files = [
		".config/a new browser/Local State",
		".a new fox/profiles.ini",
		"snap/x/common/cookies.sqlite",
	];
	for (const name of [...files, ".config/tool/config.toml"]) {
		mkdirSync(dirname(join(home, name)), { recursive: true });
		writeFileSync(join(home, name), "");
	}
	for (const name of [...files, ".a new fox/x.default/logins.json"]) {
		expect(await outcomeOf({ mode: "auto", boundary: "sandbox" }, read(join(home, name)))).toBe("ask");
		expect(mayBeSecret(join(home, name), protectedLocations({ HOME: home }))).toBe(true);
	}
	const free = join(home, ".config/tool/config.toml");
	expect(await outcomeOf({ mode: "auto", boundary: "sandbox" }, read(free))).toBe("allow");
	expect(secretsBelow(join(home, ".config"), protectedLocations({ HOME: home }))).toContain("a new browser");
	expect(secretsBelow(join(home, ".config/tool"), protectedLocations({ HOME: home }))).toBeUndefined();
});

describe("commands that read a secret without its plain name are asked about where no sandbox hides it", () => {
	beforeEach(() => {
		mkdirSync(join(home, ".ssh"), { recursive: true });
		writeFileSync(join(home, ".ssh", "id_rsa"), "key");
		symlinkSync(join(home, ".ssh", "id_rsa"), join(project, "{a,b}[c]"));
	});

	test.each([
		"cat ~/.[[:alpha:]]sh/id_rsa",
		"cat ~/.[[=s=]]sh/id_rsa",
		"cat ~/.s[[.s.]]h/*",
		"cat '{a,b}'*",
		"cat *'[c]'",
		"cd -P ~/.ssh && cat id_rsa",
		"cd -P ~ && cat .ssh/id_rsa",
		"cd -P ~/.ssh && cat *",
		"cd -P ~/.ssh && grep -r .",
		"cd ~/.ssh; cd /; cd -; cat id_rsa",
		"pushd ~/.ssh; pushd /; popd; cat id_rsa",
		"while cat id_rsa; do cd ~/.ssh; done",
		"f() { cd ~; }; f; cat .ssh/id_rsa",
		"cd ~/.s?h; cat id_rsa",
		"dd if=~/.ssh/id_rsa",
		"cat ~-/id_rsa",
		"git tag -F ~/.ssh/id_rsa v1",
		"sh -c 'cat $1' _ ~/.ssh/id_rsa",
		"HOST=~/.ssh/id_rsa bash -c 'cat $HOST'",
		"export HOST=~/.ssh/id_rsa; bash -c 'cat $HOST'",
		'x=~/.ssh/id_rsa; cat "${x%y}"',
		"read x <<< ~/.ssh/id_rsa; cat $x",
		"printf -v x %s ~/.ssh/id_rsa; cat $x",
		"set -- ~/.ssh/id_rsa; cat $1",
		'a=(x ~/.ssh/id_rsa); cat "${a[1]}"',
		"a+=(~/.ssh/id_rsa); cat ${a[0]}",
		'f() { cat "$1"; }; f ~/.ssh/id_rsa',
		"curl -v -H @$HOME/.ssh/id_rsa http://localhost:1/",
		"git hash-object -w ~/.ssh/id_rsa",
		`cat ${Array.from({ length: 2100 }, (_, at) => `f${at}`).join(" ")} ~/.ssh/id_rsa`,
	])("%s", async (command) => {
		expect(await outcomeOf({ mode: "auto", boundary: "none" }, bash(command))).toBe("ask");
	});

	test.each(["cd src && cat ./*", "cat -- [a-z]*.ts", "cd src && cat f*"])(
		"%s reads no secret",
		async (command) => {
			expect(await outcomeOf({ mode: "auto", boundary: "none" }, bash(command))).toBe("allow");
		},
	);
});

test("keys and tokens in Tau's own files are asked about, wherever variables have put them", () => {
	for (const env of [
		{ HOME: home },
		{ HOME: home, TAU_CONFIG_DIR: join(base, "elsewhere") },
		{ HOME: home, XDG_CONFIG_HOME: join(base, "xdg") },
		{ HOME: home, TAU_PROFILE: "work" },
	]) {
		const places = protectedLocations(env);
		const files = places.ownSecrets.map((path) => path.slice(path.lastIndexOf("/") + 1));
		for (const name of ["agent.db", "models.yml", "mcp.json", ".env", "auth.json"])
			expect(files).toContain(name);
		for (const path of places.ownSecrets) {
			expect(protection([path], "read", places)).toBe("Tau's credentials");
			expect(mayBeSecret(path, places)).toBe(true);
		}
	}
});

test("the tokens of running sessions are asked about, wherever they are", () => {
	const runtime = mkdtempSync(join(base, "run-"));
	for (const env of [
		{ HOME: home },
		{ HOME: home, XDG_RUNTIME_DIR: runtime },
		{ HOME: join(home, "a".repeat(90)) },
	]) {
		const places = protectedLocations(env);
		const token = join(runtimeDirectory(env), "1-1.json");
		expect(protection([token], "read", places)).toBe("Tau's credentials");
		expect(mayBeSecret(token, places)).toBe(true);
	}
});

test("instructions and skills of agents in the home directory are read unasked", async () => {
	for (const name of [
		".claude/CLAUDE.md",
		".claude/skills/a/SKILL.md",
		".codex/AGENTS.md",
		".tau/agent/AGENTS.md",
	])
		expect(await outcomeOf({ mode: "auto" }, read(join(home, name)))).toBe("allow");
});

test("settings that an editor runs programs from are asked about, wherever they are", async () => {
	for (const path of [
		".vscode/settings.json",
		"sub/.vscode/tasks.json",
		".idea/workspace.xml",
		".zed/settings.json",
	]) {
		expect(await outcomeOf({ mode: "auto" }, write(path))).toBe("ask");
		expect(await outcomeOf({ mode: "auto", boundary: "sandbox" }, write(path))).toBe("ask");
	}
	for (const path of [".vscode/extensions.json", ".idea/modules.xml", "vscode/settings.json"])
		expect(await outcomeOf({ mode: "auto" }, write(path))).toBe("allow");
});

test("terminals, disks and memory of the machine are asked about, ordinary devices are not", async () => {
	for (const path of [
		"/dev/pts/0",
		"/dev/tty1",
		"/dev/sda",
		"/dev/nvme0n1",
		"/dev/input/event0",
		"/dev/mem",
		"/proc/kcore",
	])
		expect([path, await outcomeOf({ mode: "auto" }, bash(`cat ${path}`))]).toEqual([path, "ask"]);
	const setup = { mode: "auto", boundary: "container" } as const;
	for (const path of ["/dev/null", "/dev/urandom", "/dev/stdin", "/proc/cpuinfo"])
		expect([path, await outcomeOf(setup, bash(`head -c 4 ${path}`))]).toEqual([path, "allow"]);
	// Without anything that contains the command, it names files that are none.
	expect(await outcomeOf({ mode: "auto" }, bash("head -c 4 /dev/urandom"))).toBe("ask");
	expect(await outcomeOf({ mode: "auto" }, bash("head -c 4 /dev/null"))).toBe("allow");
});

needs("root")("regression: so are those below a home directory with a capital letter", () => {
	const other = mkdtempSync("/home/Tau-secrets-");
	try {
		mkdirSync(join(other, ".config/gh"), { recursive: true });
		expect(secretsBelow(join(other, ".config"), protectedLocations({ HOME: home }))).toContain("gh");
	} finally {
		rmSync(other, { recursive: true, force: true });
	}
});

test("secrets of other users are asked about: root could read them", async () => {
	const places = protectedLocations({ HOME: "/home/u" });
	for (const path of ["/root/.ssh/id_rsa", "/home/other/.netrc", "/home/other/.aws"]) {
		expect(protection([path], "read", places)).toBeDefined();
		expect(mayBeSecret(path, places)).toBe(true);
	}
	for (const path of ["/home/other/a.txt", "/home/.ssh", "/srv/home/other/.ssh/id"])
		expect(protection([path], "read", places)).toBeUndefined();
	expect(await outcomeOf({ mode: "ask" }, bash("cat /root/.ssh/id_rsa"))).toBe("ask");
});

describe("commands that read secrets without naming each of them", () => {
	beforeEach(() => {
		mkdirSync(join(home, ".ssh"));
		writeFileSync(join(home, ".ssh/id_rsa"), "key");
		mkdirSync(join(project, "docs/more"), { recursive: true });
		for (const name of [".config/gh", ".tau/agent"]) mkdirSync(join(home, name), { recursive: true });
		for (const name of [".config/gh/hosts.yml", ".tau/agent/agent.db"])
			writeFileSync(join(home, name), "token");
		symlinkSync(join(home, ".ssh/id_rsa"), join(project, "secret"));
		symlinkSync(home, join(project, "docs/link"));
		mkdirSync(join(project, "src"));
		symlinkSync("../docs/more", join(project, "src/link"));
	});

	test.each([
		"find ~ -name id_rsa -exec cat {} +",
		"find ~ -type f -print0 | xargs -0 cat",
		"find ~ -type f | xargs cat",
		"find ~ -name 'id_*' | while read f; do cat \"$f\"; done",
		"cat $(find ~ -name id_rsa)",
		"for f in $(find ~ -type f); do cat $f; done",
		"fd . ~ -x cat",
		"cat $(echo ~/.ssh/id_rsa)",
		"echo ~/.ssh/id_rsa | xargs cat",
		"printf '%s\\0' ~/.ssh/id_rsa | sort --files0-from=-",
		"xargs cat <<< ~/.ssh/id_rsa",
		"cat ~home/.ssh/id_rsa",
		"cat ~+/docs/link/.ssh/id_rsa",
		"cat docs/*/.ssh/*",
		"grep -R . docs",
		"grep -r . docs/*",
		"rg -L . docs",
		"rg --follow . .",
		"find -L docs -type f -exec cat {} +",
		"find docs/link/ -type f -print0 | xargs -0 cat",
		"diff -r docs src",
		"tar chf - docs",
		"zip -r - docs",
		"cp -rL docs copy",
		"git grep --no-index KEY ~",
		"git -C ~ grep --no-index KEY",
		"git diff /dev/null ~",
		"cd ~; git grep --no-index KEY",
		'for f in ~/.ssh/*; do cat "$f"; done',
		"for d in ~/.s*; do cat $d/*; done",
		"grep -ra KEY /proc",
		`grep -ra KEY /proc/${process.pid}`,
		"grep -ra KEY /proc/self/task",
		"rg -a KEY /proc/1",
		"cat /proc/*/task/*/environ",
		"grep -d recurse KEY ~",
		"grep --directories=recurse KEY ~",
		"grep --der KEY ~",
		"grep --der KEY docs",
		"grep KEY *",
		"diff -N ~ src",
		"diff src ~",
		"diff --unidirectional-new-file src ~",
		"zcat -rf ~",
		"find . -name link -exec cat {} +",
		"find docs -name x -print0 | xargs -0 cat",
		"fd . docs -X cat",
		"grep --reg=. ~/.ssh/id_rsa",
		"egrep --regex=. -r ~/.ssh",
		"cd ~ && grep -1r KEY",
		"cd ~/.ssh && egrep -2hr .",
		"grep -5R KEY docs",
		"grep -5R KEY",
		"grep -m1 -R KEY",
		"grep -R -m 1 KEY",
		"grep --inc link -5R KEY",
		"rg -0L . docs",
		"zip -q9r - docs",
		"rsync -r0L docs/ e/",
		"find docs -exec cat {} \\; -type f",
		"find docs -print0 -type f | xargs -0 cat",
		"find docs -exec echo -type f {} + -exec cat {} +",
		"fd -t f -t l . docs -x cat",
		"fd -t f -0L . docs -x cat",
		'for f in id_rsa x; do (cd ~/.ssh; cat "$f"); done',
		'for f in id_rsa x; do cat ~/.ssh/"$f"; done',
		'for d in ssh x; do (cd "$HOME/.$d" && grep -r .); done',
		"grep -r token ~/.config",
		"find ~/.config -type f -exec cat {} +",
		"cd ~/.config && rg token",
		"git diff --no-index src ~/.config",
		"grep -r token ~/.tau",
		"cd ~/.tau/agent && grep -r .",
		'find .netrc -exec cat "$HOME/{}" \\;',
		"find . -name .netrc -print0 | xargs -0 -I% cat ../home/%",
		"find docs -type d -exec cat {}/../../../home/.netrc \\;",
		"echo . | xargs -I{} grep -r KEY {}/../home/.ssh",
		"fd -t f .netrc src -x cat ../home/{}",
		"fd -t f .netrc src -x cat {/}",
		'for d in .ssh x; do (cd ~ && cd "$d" && head id_rsa); done',
		'for d in ../home x; do (cd "$d"; cat .s*/*); done',
		'for d in ../home x; do (cd "$d"; rg -uu KEY); done',
		"git commit-tree -F secret HEAD^{tree}",
	])("%s is asked about", async (command) => {
		for (const mode of ["ask", "auto"] as const) expect(await outcomeOf({ mode }, bash(command))).toBe("ask");
	});

	test.each([
		"find ~ -maxdepth 1 -name '*.md' | head",
		"find . -name '*.ts' -type f -print0 | xargs -0 grep -n x",
		"find . -type f -exec cat {} +",
		"ls ~ && du -sh ~ && find ~ -maxdepth 1 -name x",
		"diff src/a src/b",
		"find . -type f -exec grep -l x {} +",
		"grep -R x src",
		"grep -r x docs",
		"cat src/*/*",
		"git grep -n x",
		"git diff HEAD~1 -- src",
		'for f in src/*; do cat "$f"; done',
	])("%s is not", async (command) => {
		expect(await outcomeOf({ mode: "auto" }, bash(command))).toBe("allow");
	});
});

test("more files of processes than are looked at one by one are asked about as a whole", async () => {
	const children = Array.from({ length: 260 }, () => Bun.spawn(["sleep", "60"]));
	try {
		expect(await outcomeOf({ mode: "auto" }, bash("cat /proc/*/environ"))).toBe("ask");
	} finally {
		for (const child of children) child.kill();
	}
});
