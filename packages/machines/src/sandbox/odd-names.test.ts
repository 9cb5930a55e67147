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

/** What a command makes; `node_modules/e` is an armed repository, and `node_modules/$o/e` as well. */
const made: Readonly<Record<string, string>> = {
	"a link to such a directory": 'ln -s "node_modules/$o" n',
	"a link to one below": 'ln -s "node_modules/$o/e" n',
	"a link with such a name": 'ln -s node_modules/e "$o"',
	"a link with such a name in a directory": 'mkdir n; ln -s ../node_modules/e "n/$o"',
	"a link in such a directory of the user": 'ln -s ../../node_modules/e "$d/a/new"',
};

for (const [kind, needed] of [
	["bubblewrap", neededPrograms],
	["Landlock", neededForLandlock],
] as const)
	describe(kind, () => {
		for (const [name, command] of Object.entries(made))
			needs(...needed, "git")(`regression: git runs nothing by way of ${name}`, async () => {
				await using box = await open(kind === "Landlock");
				await box.run(
					`echo node_modules > .gitignore; ${evil(box)}; o=$(printf 'o\\377'); d=$(printf 'd\\377'); for r in "node_modules/$o" "node_modules/$o/e" node_modules/e; do git init -q "$r"; evil "$r/.git"; done; ${command}`,
				);
				expect(isRunIn(box, "n n/o* o* d*/a/new")).toBe(false);
				expect(
					box.sandbox
						.disarmed()
						.map(({ what }) => what)
						.join("\n"),
				).toContain("name");
			});

		needs(...needed)(
			"regression: settings that a command makes in a new directory of such a name do not stay",
			async () => {
				await using box = await open(kind === "Landlock");
				const files = [".tool-versions", ".hg/hgrc", ".mise.toml", ".irbrc"];
				for (const [index, file] of files.entries()) {
					const write = `o=$(printf 'o${index}\\377'); mkdir -p "$o/a/$(dirname ${file})"; printf '[hooks]\nx = path:evil\n' > "$o/a/${file}"`;
					await box.run(write);
					const left = Bun.spawnSync(["sh", "-c", `cat o${index}*/a/${file}`], { cwd: box.cwd });
					expect([file, left.stdout.toString()]).toEqual([file, ""]);
				}
				await box.run(`o=$(printf 'p\\377'); mkdir "$o"; echo 'nodejs 20.0.0' > "$o/.tool-versions"`);
				const names = readdirSync(box.cwd, { encoding: "buffer" }).map((name) => name.toString("latin1"));
				expect(names).toContain("p\xff");
			},
		);
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
