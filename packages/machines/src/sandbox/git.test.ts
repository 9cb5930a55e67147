/** Git works inside a sandbox, also in worktrees and submodules, and nothing that it would run later can be planted. */
import {
	existsSync,
	mkdirSync,
	readFileSync,
	readlinkSync,
	renameSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "bun:test";

import { needs } from "../../../../test/support/needs.ts";
import { runShell } from "@tau/sys";
import { projectProfile } from "./profile.ts";
import { Sandbox } from "./sandbox.ts";
import { sandboxSupport } from "./support.ts";
import {
	neededPrograms,
	sandboxFixture,
	type FixtureOptions,
	type SandboxFixture,
} from "./testing/sandbox-fixture.ts";

const sandboxed = needs(...neededPrograms, "git");
const identity = "-c user.name=Tester -c user.email=tester@example.org -c commit.gpgsign=false";

function git(cwd: string, ...args: string[]): void {
	const { exitCode, stderr } = Bun.spawnSync(
		["git", ...identity.split(" "), "-c", "protocol.file.allow=always", ...args],
		{ cwd, env: { PATH: process.env.PATH, HOME: cwd } },
	);
	if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString()}`);
}

function repository(path: string): void {
	mkdirSync(path, { recursive: true });
	git(path, "init", "-q", "-b", "main");
	writeFileSync(join(path, "file"), "one\n");
	git(path, "add", ".");
	git(path, "commit", "-qm", "first");
}

async function commits(box: SandboxFixture, at = "."): Promise<string> {
	const { text } = await box.run(
		`cd ${at} && echo two >> file && git ${identity} commit -qam second && git log --format=%s; cd ${box.cwd}`,
	);
	return text;
}

/** Tries to change paths of the host, and returns those that changed. */
async function changed(box: SandboxFixture, paths: readonly string[]): Promise<string[]> {
	for (const path of paths) await box.run(`echo evil >> ${path}; rm -f ${path}; mv ${path} ${path}.old`);
	return paths.filter((path) => !existsSync(path) || readFileSync(path, "utf8").includes("evil"));
}

async function fixture(options: FixtureOptions): Promise<SandboxFixture> {
	return await sandboxFixture(options);
}

sandboxed("a commit, a branch and a stash work", async () => {
	await using box = await fixture({ prepare: repository });
	expect(await commits(box)).toBe("second\nfirst\n");
	const { outcome } = await box.run(
		`git checkout -qb feature && echo x > new && git add new && git ${identity} stash -q && git ${identity} stash pop -q && git gc -q`,
	);
	expect(outcome.exitCode).toBe(0);
});

sandboxed("a worktree can commit, and not change the hooks and configuration of its repository", async () => {
	await using box = await fixture({
		prepare(cwd) {
			const main = join(cwd, "../main");
			repository(main);
			git(main, "worktree", "add", "-q", cwd);
		},
	});
	expect(await commits(box)).toBe("second\nfirst\n");
	const main = join(box.root, "main");
	writeFileSync(join(main, ".git/hooks/pre-commit"), "");
	expect(
		await changed(box, [
			join(main, ".git/config"),
			join(main, ".git/hooks/pre-commit"),
			join(box.cwd, ".git"),
		]),
	).toEqual([]);
	expect((await box.run(`echo x > ${main}/file`)).text).toContain("Read-only");
});

sandboxed("git in other worktrees of the repository keeps its settings", async () => {
	await using box = await fixture({
		prepare(cwd) {
			repository(cwd);
			git(cwd, "config", "extensions.worktreeConfig", "true");
			git(cwd, "worktree", "add", "-q", "../one");
			git(cwd, "worktree", "add", "-q", "../two");
			git(join(cwd, "../two"), "config", "--worktree", "user.name", "Two");
		},
	});
	expect(await commits(box)).toBe("second\nfirst\n");
	const at = (name: string): string => join(box.cwd, ".git/worktrees", name);
	const files = ["one/commondir", "one/gitdir", "two/commondir", "two/config.worktree"].map(at);
	expect(await changed(box, files)).toEqual([]);
	const { text } = await box.run(`mv .git/worktrees/one .git/old; mv .git/worktrees .git/old`);
	expect(text).toContain("busy");
	await box.run(`printf '[core]\\nfsmonitor = touch evil\\n' > .git/worktrees/one/config.worktree`);
	expect(existsSync(at("one/config.worktree"))).toBe(false);
	const made = await box.run(`git ${identity} worktree add -q tree && git -C tree status --short`);
	expect(made.outcome.exitCode).toBe(0);
});

sandboxed("a repository below the project gets no further settings", async () => {
	await using box = await fixture({
		prepare(cwd) {
			repository(cwd);
			repository(join(cwd, "part"));
			git(join(cwd, "part"), "config", "extensions.worktreeConfig", "true");
		},
	});
	await box.run(`printf '[core]\\nfsmonitor = touch evil\\n' > part/.git/config.worktree`);
	expect(existsSync(join(box.cwd, "part/.git/config.worktree"))).toBe(false);
});

sandboxed("settings of agents are protected in the root of the repository, too", async () => {
	let root = "";
	await using box = await fixture({
		prepare(cwd) {
			root = join(cwd, "..");
			repository(root);
			mkdirSync(join(root, ".claude"));
			writeFileSync(join(root, ".claude/settings.json"), "{}");
		},
	});
	expect(await changed(box, [join(root, ".claude/settings.json")])).toEqual([]);
});

sandboxed("a submodule can commit, and its hooks and configuration are protected", async () => {
	await using box = await fixture({
		prepare(cwd) {
			repository(join(cwd, "../library"));
			repository(cwd);
			git(cwd, "submodule", "--quiet", "add", "../library", "parts/library");
			git(cwd, "commit", "-qm", "with a submodule");
		},
	});
	expect(await commits(box, "parts/library")).toBe("second\nfirst\n");
	const modules = join(box.cwd, ".git/modules/parts/library");
	expect(await changed(box, [join(modules, "config"), join(box.cwd, "parts/library/.git")])).toEqual([]);
	const { text } = await box.run(`echo evil > ${modules}/hooks/post-checkout; mv .git/modules .git/old`);
	expect(text).toContain("Read-only");
	expect(text).toContain("busy");
});

sandboxed("hooks are protected where the repository has no directory for them", async () => {
	await using box = await fixture({
		prepare(cwd) {
			git(cwd, "init", "-q", "--template=");
			expect(existsSync(join(cwd, ".git/hooks"))).toBe(false);
		},
	});
	const { text } = await box.run("mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit");
	expect(text).toContain("Read-only");
});

sandboxed(
	"a project inside a repository can change all of it, unless that is the home directory",
	async () => {
		await using box = await fixture({ prepare: repository });
		const sub = join(box.cwd, "sub");
		mkdirSync(sub);
		expect((await projectProfile({ cwd: sub, home: box.home })).writable).toContain(box.cwd);
		repository(box.home);
		const own = join(box.home, "project");
		mkdirSync(own);
		const { writable } = await projectProfile({ cwd: own, home: box.home });
		expect(writable).not.toContain(box.home);
		expect(writable).toContain(own);
	},
);

sandboxed("hooks of a repository that a command creates are disabled", async () => {
	await using box = await fixture({});
	await box.run(
		"git init -q && printf '#!/bin/sh\\ntouch /evil' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && ln -s ../evil .git/hooks/post-commit",
	);
	expect(box.sandbox.disarmed()).toHaveLength(2);
	expect(existsSync(join(box.cwd, ".git/hooks/post-commit"))).toBe(false);
	expect(statSync(join(box.cwd, ".git/hooks/pre-commit")).mode & 0o111).toBe(0);
	expect(box.sandbox.disarmed()).toEqual([]);
});

sandboxed("filters and other programs of a repository that a command creates are removed", async () => {
	await using box = await fixture({});
	await box.run(
		"git init -q && git config user.name me && git remote add origin https://example.org/a.git && git config filter.x.clean ./evil && git config core.fsmonitor ./evil && git config alias.st '!./evil' && printf '[core] pager = ./evil\\n[include]\\npath = evil\\n' >> .git/config",
	);
	expect(box.sandbox.disarmed()).toHaveLength(1);
	const config = readFileSync(join(box.cwd, ".git/config"), "utf8");
	expect(config).not.toContain("evil");
	expect(config).toContain("name = me");
	expect((await box.run("git remote -v")).text).toContain("https://example.org/a.git");
});

sandboxed("a repository is not given the configuration of another one", async () => {
	await using box = await fixture({ prepare: repository });
	await box.run("cp -r .git evil; git -C evil config core.fsmonitor ./run; echo ../evil > .git/commondir");
	expect(
		box.sandbox
			.disarmed()
			.map(({ what }) => what)
			.join("\n"),
	).toContain(`${join(box.cwd, ".git/commondir")} was set aside: git keeps nothing like it there`);
	expect(existsSync(join(box.cwd, ".git/commondir"))).toBe(false);
});

/** What a project may write after a command has run in it. */
async function writableAfter(command: string, prepare?: FixtureOptions["prepare"]): Promise<string[]> {
	await using box = await fixture(prepare ? { prepare } : {});
	repository(join(box.root, "other"));
	await box.run(command.replaceAll("@HOME@", box.home).replaceAll("@OTHER@", join(box.root, "other/.git")));
	const { writable } = await projectProfile({ cwd: box.cwd, home: box.home });
	return writable.filter((path) => path !== box.cwd && !path.startsWith(`${box.cwd}/`));
}

sandboxed("a command cannot make other directories writable for the next one", async () => {
	const head = "echo 'ref: refs/heads/main'";
	const pointers = [
		`mkdir fake; ${head} > fake/HEAD; echo @HOME@ > fake/commondir; echo 'gitdir: fake' > .git`,
		"echo 'gitdir: @OTHER@' > .git",
		"ln -s @OTHER@ .git",
	];
	for (const pointer of pointers) expect(await writableAfter(pointer)).toEqual([]);
	// One that is there already, as in a project from elsewhere, is not trusted either.
	const planted = (cwd: string, name: string): void => {
		mkdirSync(join(cwd, name));
		writeFileSync(join(cwd, name, "HEAD"), "ref: refs/heads/main\n");
		writeFileSync(join(cwd, name, "commondir"), "/usr\n");
		if (name !== ".git") writeFileSync(join(cwd, ".git"), `gitdir: ${name}\n`);
	};
	for (const name of [".git", "fake"])
		expect(await writableAfter("true", (cwd) => planted(cwd, name))).toEqual([]);
});

sandboxed("a command cannot lead git to a repository of its own", async () => {
	await using box = await fixture({});
	await box.run(
		"git init -q --bare evil; git -C evil config core.fsmonitor ./run; echo 'gitdir: evil' > .git",
	);
	expect(existsSync(join(box.cwd, ".git"))).toBe(false);
	expect(box.sandbox.disarmed().map(({ what }) => what)).toContain(
		`${join(box.cwd, ".git")} was removed: it leads git to another repository`,
	);
});

sandboxed("hooks and configuration at other places, and of other repositories, are protected", async () => {
	await using box = await fixture({
		files: { "added/x": "" },
		writable: ["../added"],
		prepare(cwd) {
			const added = join(cwd, "../added/nested");
			for (const path of [cwd, join(cwd, "packages/nested"), added]) repository(path);
			mkdirSync(join(cwd, ".husky/_"), { recursive: true });
			for (const name of [".husky/_/pre-commit", "shared.cfg"]) writeFileSync(join(cwd, name), "own");
			git(cwd, "config", "core.hooksPath", ".husky/_");
			git(cwd, "config", "include.path", "../shared.cfg");
		},
	});
	const nested = [join(box.cwd, "packages/nested"), join(box.root, "added/nested")];
	const paths = [
		...[".husky/_/pre-commit", "shared.cfg"].map((name) => join(box.cwd, name)),
		...nested.map((path) => join(path, ".git/config")),
	];
	expect(await changed(box, paths)).toEqual([]);
	for (const path of nested)
		expect((await box.run(`echo evil > ${path}/.git/hooks/pre-commit`)).text).toContain("Read-only");
	expect((await box.run("cd packages/nested && touch new && git add new && echo done")).text).toBe("done\n");
});

sandboxed("a link in the place of something protected shows nothing that is hidden", async () => {
	await using box = await fixture({
		files: { "home/.ssh/id": "secret" },
		prepare: (cwd) => symlinkSync(join(cwd, "../home/.ssh/id"), join(cwd, ".mcp.json")),
	});
	const { text } = await box.run("cat .mcp.json ~/.ssh/id; echo ran");
	expect(text).not.toContain("secret");
	expect(text).toEndWith("ran\n");
});

sandboxed("hooks and settings that are links stay what they are", async () => {
	await using box = await fixture({
		prepare(cwd) {
			repository(cwd);
			for (const name of ["own-hooks", "own-tau"]) mkdirSync(join(cwd, name));
			renameSync(join(cwd, ".git/hooks"), join(cwd, "old-hooks"));
			symlinkSync("../own-hooks", join(cwd, ".git/hooks"));
			symlinkSync("own-tau", join(cwd, ".tau"));
		},
	});
	const replace = "mkdir .git/hooks && echo evil > .git/hooks/pre-commit";
	await box.run(`rm .git/hooks && ${replace}; ln -sfn /tmp .tau`);
	expect(readlinkSync(join(box.cwd, ".git/hooks"))).toBe("../own-hooks");
	expect(readlinkSync(join(box.cwd, ".tau"))).toBe("own-tau");
	expect(box.sandbox.disarmed()).toHaveLength(2);
});

sandboxed(
	"settings that editors and other agents run programs from can be neither changed nor created",
	async () => {
		await using box = await sandboxFixture({ files: { "project/.vscode/settings.json": "{}" } });
		const made = [
			".vscode/tasks.json",
			".zed/settings.json",
			".idea/watcherTasks.xml",
			".mcp.json",
			".claude/settings.json",
			".hg/hgrc",
			".jj/repo/config.toml",
			".git/lazygit.yml",
			".opencode/plugin/x.js",
			".pi/extensions/x.ts",
		];
		const { text } = await box.run(
			`echo evil > .vscode/settings.json; mv .vscode moved; mkdir -p .zed .idea .claude .hg .jj/repo .git .opencode/plugin .pi/extensions; for f in ${made.join(" ")}; do echo evil > $f; done; echo {} > .vscode/extensions.json; mkdir .claude/commands`,
		);
		expect(text).toMatch(/settings.json: Read-only file system/);
		expect(readFileSync(join(box.cwd, ".vscode/settings.json"), "utf8")).toBe("{}");
		expect(made.filter((name) => existsSync(join(box.cwd, name)))).toEqual([]);
		for (const name of [".vscode/extensions.json", ".claude/commands"])
			expect(existsSync(join(box.cwd, name))).toBe(true);
		expect(
			box.sandbox
				.disarmed()
				.map(({ what }) => what)
				.join("\n"),
		).toContain(`${join(box.cwd, ".mcp.json")} was renamed to .mcp.json.replaced-`);
	},
);

sandboxed(
	"a script of the project that Tau starts outside is not exchanged between the look at it and its start",
	async () => {
		const script = "scripts/check.sh";
		await using box = await sandboxFixture({ files: { [`project/${script}`]: "good" }, protected: [script] });
		const { text } = await box.run(
			`echo evil > ${script}; echo evil > evil; mv -f evil ${script}; mv scripts moved; ln -sf ../evil ${script}; echo new > scripts/other.sh`,
		);
		expect(text).toMatch(/Read-only file system|busy/);
		expect(readFileSync(join(box.cwd, script), "utf8")).toBe("good");
		expect(existsSync(join(box.cwd, "scripts/other.sh"))).toBe(true);
	},
);

sandboxed("nor behind a link in the place of their directory", async () => {
	await using box = await sandboxFixture({ files: { "project/.zed/themes/a": "" } });
	await box.run(
		"mkdir v; echo evil > v/settings.json; ln -s v .vscode; mv .zed z; echo evil > z/settings.json; ln -s z .zed",
	);
	for (const name of [".vscode", ".zed"]) expect(existsSync(join(box.cwd, name))).toBe(false);
});

sandboxed("what git outside replaces stays protected", async () => {
	await using box = await sandboxFixture({
		files: { "project/.mcp.json": "{}" },
		prepare: (cwd) => void Bun.spawnSync(["git", "init", "-q"], { cwd }),
	});
	await box.run("true");
	const outside = (...args: string[]): unknown => Bun.spawnSync(["git", ...args], { cwd: box.cwd });
	outside("config", "alias.mine", "!true");
	const other = join(box.cwd, "other.json");
	writeFileSync(other, '{ "mine": 1 }');
	renameSync(other, join(box.cwd, ".mcp.json"));
	await box.run(
		'printf \'[core]\\n\\tfsmonitor = ./evil\\n[remote "origin"]\\n\\turl = https://x/y\\n[branch "main"]\\n\\tremote = origin\\n\' >> .git/config; echo evil > .mcp.json',
	);
	const config = readFileSync(join(box.cwd, ".git/config"), "utf8");
	expect(config).not.toContain("evil");
	for (const kept of ["mine = !true", "remote = origin"]) expect(config).toContain(kept);
	expect(readFileSync(join(box.cwd, ".mcp.json"), "utf8")).toBe('{ "mine": 1 }');
	outside("config", "core.editor", "mine");
	await box.run("true");
	expect(readFileSync(join(box.cwd, ".git/config"), "utf8")).toContain("editor = mine");
});

sandboxed("in a home directory, start-up files can be neither changed nor created", async () => {
	await using box = await fixture({ files: { "project/.bashrc": "own" } });
	const profile = await projectProfile({ cwd: box.cwd, home: box.cwd });
	await using sandbox = new Sandbox(profile, await sandboxSupport(process.env, tmpdir()));
	const run = async (command: string): Promise<void> => {
		const { signal } = new AbortController();
		const env = { PATH: process.env.PATH ?? "", HOME: box.cwd };
		await runShell({ command, cwd: box.cwd, env, timeoutMs: 20_000, signal, onOutput() {} }, sandbox);
		sandbox.commandEnded();
	};
	await run("echo evil >> .bashrc; echo evil > .bash_profile; echo evil > .gitconfig; echo fine > notes");
	expect(readFileSync(join(box.cwd, ".bashrc"), "utf8")).toBe("own");
	expect([".bash_profile", ".gitconfig", "notes"].map((name) => existsSync(join(box.cwd, name)))).toEqual([
		false,
		false,
		true,
	]);
});

sandboxed("the root directory is not writable as a project", async () => {
	expect((await projectProfile({ cwd: "/", home: "/root" })).writable).toEqual([]);
});
