/** Settings of git whose values are paths as git alone writes them, and names that are not text: no command changes what they lead to. */
import { describe, expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { gitUser } from "./git-user.ts";
import { pathsMeant } from "./git-values.ts";
import { projectProfile } from "./profile.ts";
import { ProfileSources } from "./profile-sources.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";
import { evil, gitRuns } from "./testing/user-git.ts";

/** As git looks up `~name/`. */
const [ownName = "", ownHome = ""] = readFileSync("/etc/passwd", "utf8")
	.split("\n")
	.map((line) => line.split(":"))
	.filter(([, , id]) => id === `${process.getuid?.()}`)
	.flatMap(([name = "", , , , , directory = ""]) => [name, directory]);

test("a value may begin with a home directory, the place of git, or a mark", () => {
	const user = { home: "/home/ann", searchPath: ["/opt/git/bin"] };
	expect(pathsMeant("~/a", user)).toEqual(["/home/ann/a"]);
	expect(pathsMeant(`~${ownName}/a`, user)).toEqual([join(ownHome, "a")]);
	expect(pathsMeant("~nobody-is-called-so/a", user)).toEqual(["~nobody-is-called-so/a"]);
	expect(pathsMeant(":(optional)~/a", user)).toEqual(["/home/ann/a"]);
	expect(pathsMeant("%(prefix)/../home/ann/a", user)).toContain("/home/ann/a");
	expect(pathsMeant("a/%(prefix)/b", user)).toEqual(["a/%(prefix)/b"]);
});

/** How git is told a directory of the project. */
const spellings: Readonly<Record<string, (directory: string) => string>> = {
	"the place where git is installed": (directory) => `%(prefix)/..${directory}`,
	"the name of its user": (directory) => `~${ownName}/${relative(ownHome, directory)}`,
};

for (const [kind, needed] of [
	["bubblewrap", neededPrograms],
	["Landlock", neededForLandlock],
] as const)
	for (const [name, spelling] of Object.entries(spellings))
		describe(kind, () => {
			const options = { landlock: kind === "Landlock" };

			needs(...needed, "git")(
				`regression: git runs no new hook in a directory that is named by ${name}`,
				async () => {
					await using box = await sandboxFixture({
						...options,
						prepare(cwd) {
							Bun.spawnSync(["git", "init", "-q"], { cwd });
							Bun.spawnSync(["git", "config", "core.hooksPath", spelling(join(cwd, "own"))], { cwd });
						},
					});
					await box.run(`${evil(box)}; mkdir -p own; evil own; cp run own/pre-commit`);
					expect(gitRuns(box, ".")).toBe(false);
				},
			);

			needs(...needed, "git")(
				`regression: a command does not change settings that are included by ${name}`,
				async () => {
					await using box = await sandboxFixture({
						...options,
						prepare(cwd) {
							writeFileSync(join(cwd, "shared"), "[a]\n\tb = c\n");
							Bun.spawnSync(["git", "init", "-q"], { cwd });
							Bun.spawnSync(["git", "config", "include.path", spelling(join(cwd, "shared"))], { cwd });
						},
					});
					await box.run(`${evil(box)}; mkdir x; evil x; cp x/config shared`);
					expect(gitRuns(box, ".")).toBe(false);
				},
			);
		});

interface Odd {
	/** Run in the project, as settings of git are made. */
	readonly prepare: string;
	/** The user's file of settings. */
	readonly global?: string;
}

const program = "printf '#!/bin/sh\\n' > run; chmod +x run";
const oddNames: Readonly<Record<string, Odd>> = {
	"a directory for hooks": { prepare: "git config core.hooksPath $(printf '.h\\377')" },
	"a directory for hooks of the user": { prepare: ":", global: "[core]\n\thooksPath = .h\xff\n" },
	"a directory for hooks behind a link": {
		prepare:
			"mkdir -p $(printf 't\\377')/hooks; ln -s $(printf 't\\377') t; git config core.hooksPath t/hooks",
	},
	"a directory for hooks behind a link, which does not exist": {
		prepare: "ln -s $(printf 't\\377') t; git config core.hooksPath t/hooks",
	},
	"further settings": { prepare: "git config include.path $(printf '../inc\\377')" },
	"further settings of the user": { prepare: ":", global: "[include]\n\tpath = /nowhere/inc\xff\n" },
	"a program": {
		prepare: `mkdir $(printf 't\\377'); ${program}; cp run $(printf 't\\377')/f; git config core.fsmonitor $(printf 't\\377/f')`,
	},
	"a program that does not exist": { prepare: "git config core.fsmonitor $(printf 't\\377/f')" },
	"a program with a blank": {
		prepare: `mkdir "$(printf 'my t\\377')"; ${program}; cp run "$(printf 'my t\\377')/f"; git config core.fsmonitor "$(printf 'my t\\377/f')"`,
	},
	"the target of a hook": { prepare: "ln -s $(printf '../../s\\377') .git/hooks/post-checkout" },
	"a repository that is no deeper than mounts": {
		prepare: "git init -q below; git -C below config core.hooksPath $(printf '.h\\377')",
	},
};

interface Project extends Disposable {
	readonly cwd: string;
	readonly home: string;
}

function project(): Project {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "tau-odd-")));
	const [cwd, home] = [join(root, "project"), join(root, "home")];
	for (const path of [cwd, home]) mkdirSync(path);
	Bun.spawnSync(["git", "init", "-q"], { cwd });
	return { cwd, home, [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
}

for (const [name, { prepare, global }] of Object.entries(oddNames))
	needs("git", "sh")(
		`regression: no command runs where git is told a name that is no text: ${name}`,
		async () => {
			using box = project();
			const { cwd, home } = box;
			const options = { cwd, home, gitUser: gitUser(home) };
			const sources = new ProfileSources(await projectProfile(options));
			expect(sources.namesMore()).toBe(false);
			Bun.spawnSync(["sh", "-c", prepare], { cwd });
			if (global !== undefined) writeFileSync(join(home, ".gitconfig"), Buffer.from(global, "latin1"));
			await expect(projectProfile(options)).rejects.toThrow("is not text");
			// A link, a hook and what is below are the same for the sandbox that runs.
			if (global !== undefined) expect(sources.namesMore()).toBe(true);
		},
	);

needs(
	...neededPrograms,
	"git",
	"sh",
)(
	"regression: no command runs where a repository deep below is told a name that is no text, until that is changed",
	async () => {
		await using box = await sandboxFixture({
			prepare(cwd) {
				const odd = "git -C a/b/c/d config core.hooksPath $(printf '.h\\377')";
				Bun.spawnSync(["sh", "-c", `git init -q; git init -q a/b/c/d; ${odd}`], { cwd });
			},
		});
		await expect(box.run("echo x > made")).rejects.toThrow("is not text");
		expect(existsSync(join(box.cwd, "made"))).toBe(false);
		Bun.spawnSync(["git", "-C", "a/b/c/d", "config", "--unset", "core.hooksPath"], { cwd: box.cwd });
		await box.run("echo x > made");
		expect(existsSync(join(box.cwd, "made"))).toBe(true);
	},
);

needs("git", "sh")("values of settings that are not text and no path are nothing to Tau", async () => {
	using box = project();
	const { cwd, home } = box;
	const text =
		'[user]\n\tname = J\xfcrgen\n[gui]\n\trecentrepo = /home/j/B\xfccher/x\n[alias]\n\twho = log --author=M\xfcller\n[filter "x"]\n\tclean = sed s/\xfc/ue/\n';
	writeFileSync(join(home, ".gitconfig"), Buffer.from(text, "latin1"));
	const profile = await projectProfile({ cwd, home, gitUser: gitUser(home) });
	expect(profile.writable).toContain(cwd);
});
