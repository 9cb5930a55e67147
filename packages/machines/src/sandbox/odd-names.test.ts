/** The user's own repositories in directories whose names are not text: git runs nothing that a command puts there. */
import { describe, expect } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import {
	neededForLandlock,
	neededPrograms,
	sandboxFixture,
	type SandboxFixture,
} from "./testing/sandbox-fixture.ts";
import { evil } from "./testing/user-git.ts";

const user = "git -c user.name=u -c user.email=u@e";
const commit = `${user} commit -q --allow-empty -m x`;

/** As the user goes there, outside. */
function isRunIn(box: SandboxFixture, directory: string): boolean {
	const commands = `for each in ${directory}; do (cd "$each" && git status && git st && ${commit}); done`;
	const env = { PATH: process.env.PATH, HOME: box.home, GIT_CONFIG_NOSYSTEM: "1" };
	Bun.spawnSync(["sh", "-c", commands], { cwd: box.cwd, env });
	return existsSync(join(box.home, "ESCAPED"));
}

async function open(landlock: boolean): Promise<SandboxFixture> {
	return await sandboxFixture({
		landlock,
		prepare(cwd) {
			const prepare = `d=$(printf 'd\\377'); git init -q; git init -q "$d"; git init -q "$d/a/b"; cd "$d"; ${commit}`;
			Bun.spawnSync(["sh", "-c", prepare], { cwd });
		},
	});
}

/** `$d` is such a directory, which the user has. */
const attempts: Readonly<Record<string, string>> = {
	"settings and hooks": 'evil "$d/.git"',
	"a hook that is not executable": 'cp run "$d/.git/hooks/pre-commit"',
	"a link in place of the hooks": 'mv "$d/.git/hooks" gone; ln -s "$PWD/x/hooks" "$d/.git/hooks"',
	"those of one deeper there": 'evil "$d/a/b/.git"',
	"a new one there": 'git init -q "$d/a/new"; evil "$d/a/new/.git"',
	"one among submodules":
		'mkdir "$d/.git/modules"; git init -q --bare "$d/.git/modules/x"; mkdir "$d/x"; echo "gitdir: ../.git/modules/x" > "$d/x/.git"; evil "$d/.git/modules/x"',
	"a .git file in place of the directory":
		'git init -q node_modules/e; evil node_modules/e/.git; mv "$d/a/b/.git" gone; echo "gitdir: ../../../node_modules/e/.git" > "$d/a/b/.git"',
	"a directory that was closed": 'evil "$d/.git"; chmod 111 "$d"',
};

for (const [kind, needed] of [
	["bubblewrap", neededPrograms],
	["Landlock", neededForLandlock],
] as const)
	describe(kind, () => {
		for (const [name, command] of Object.entries(attempts))
			needs(...needed, "git")(`regression: git runs nothing of a command: ${name}`, async () => {
				await using box = await open(kind === "Landlock");
				await box.run(`${evil(box)}; evil x; d=$(printf 'd\\377'); ${command}`);
				expect(isRunIn(box, "d* d*/a/b d*/a/new d*/x")).toBe(false);
				expect(
					box.sandbox
						.disarmed()
						.map(({ what }) => what)
						.join("\n"),
				).toContain("name is not text");
			});
	});

needs(...neededPrograms, "git")("what commands and the user do there otherwise stays", async () => {
	await using box = await open(false);
	const names = (): string[] =>
		readdirSync(box.cwd, { encoding: "buffer" }).map((name) => name.toString("latin1"));
	await box.run(
		`cd $(printf 'd\\377'); echo x > file; git add file; ${commit}; git checkout -qb topic; git status`,
	);
	expect(names()).toContain("d\xff");
	// The user changes settings between two commands.
	Bun.spawnSync(["sh", "-c", "cd d*; git config alias.st status; echo true > .git/hooks/post-commit"], {
		cwd: box.cwd,
	});
	await box.run("true");
	expect(names()).toContain("d\xff");
	expect(box.sandbox.disarmed()).toEqual([]);
});
