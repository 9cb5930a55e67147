/** A link on the way to something protected is as protected as that: a command cannot lead the user's programs elsewhere. */
import { expect } from "bun:test";
import {
	existsSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	readlinkSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";
import { evil, gitRuns, usual } from "./testing/user-git.ts";

const git = (cwd: string, ...args: string[]): void => {
	Bun.spawnSync(["git", ...args], { cwd });
};

for (const landlock of [false, true]) {
	const linked = needs("git", ...(landlock ? neededForLandlock : neededPrograms));
	const kind = landlock ? "Landlock" : "bubblewrap";

	for (const [where, hooks] of [
		["there are hooks", true],
		["there are none yet", false],
	] as const)
		linked(
			`regression: git runs no hooks behind a replaced link of core.hooksPath, where ${where}, with ${kind}`,
			async () => {
				await using box = await sandboxFixture({
					landlock,
					prepare(cwd) {
						git(cwd, "init", "-q");
						git(cwd, "config", "core.hooksPath", "tools/hooks");
						mkdirSync(join(cwd, hooks ? "vendor/tools/hooks" : "vendor/tools"), { recursive: true });
						symlinkSync("again", join(cwd, "tools"));
						symlinkSync("vendor/tools", join(cwd, "again"));
					},
				});
				for (const link of ["tools", "again"]) {
					const make = `mkdir e; git init -q r-${link}; evil r-${link}/.git; mkdir -p e/${link}; mv r-${link}/.git/hooks e/${link}/hooks`;
					await box.run(`${evil(box)}; ${make}; rm -f ${link}; ln -s e/${link} ${link}`);
					expect(existsSync(join(box.cwd, `e/${link}/hooks/post-checkout`))).toBe(true);
					expect(gitRuns(box, ".")).toBe(false);
					expect(lstatSync(join(box.cwd, link)).isSymbolicLink()).toBe(true);
				}
				await box.run(
					`${evil(box)}; git init -q r; evil r/.git; mkdir -p vendor/tools/hooks; cp r/.git/hooks/* vendor/tools/hooks`,
				);
				expect(gitRuns(box, ".")).toBe(false);
			},
		);

	for (const absent of [false, true])
		linked(
			`regression: no link takes the place of a directory with a link to ${absent ? "absent " : ""}hooks, with ${kind}`,
			async () => {
				await using box = await sandboxFixture({
					landlock,
					prepare(cwd) {
						git(cwd, "init", "-q");
						git(cwd, "config", "core.hooksPath", "a/b/tools/hooks");
						mkdirSync(join(cwd, absent ? "vendor" : "vendor/hooks"), { recursive: true });
						mkdirSync(join(cwd, "a/b"), { recursive: true });
						symlinkSync("../../vendor", join(cwd, "a/b/tools"));
					},
				});
				const make =
					"mkdir -p e/b/tools; git init -q r; evil r/.git; mv r/.git/hooks e/b/tools/hooks; chmod +x e/b/tools/hooks/*";
				for (const place of ["mv a was; ln -s e a", "mv was a; mv a/b a/was; ln -s ../e/b a/b"]) {
					await box.run(`${evil(box)}; ${make}; ${place}`);
					expect(existsSync(join(box.cwd, "e/b/tools/hooks/post-checkout"))).toBe(true);
					expect(gitRuns(box, ".")).toBe(false);
				}
				const reported = box.sandbox.disarmed().map(({ what }) => what);
				expect(reported.filter((what) => what.includes("on the way"))).toEqual([
					`${box.cwd}/a was removed: it is on the way to what is protected`,
					`${box.cwd}/a/b was removed: it is on the way to what is protected`,
				]);
			},
		);

	for (const [where, directory, isOfUser] of [
		["the repository", ".", false],
		["the user", ".", true],
		["a repository below", "n", false],
		["a submodule", "s", false],
		["a deep repository", "a/b/c/n", false],
	] as const)
		linked(
			`regression: no directory above absent hooks becomes a link, as settings of ${where} name them, with ${kind}`,
			async () => {
				await using box = await sandboxFixture({
					landlock,
					prepare(cwd) {
						const at = join(cwd, directory);
						mkdirSync(at, { recursive: true });
						git(cwd, "init", "-q");
						git(at, "init", "-q");
						git(at, "-c", "user.name=u", "-c", "user.email=u@e", "commit", "-q", "--allow-empty", "-m", "x");
						if (directory === "s") {
							git(cwd, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "./s", "s");
							git(cwd, "submodule", "absorbgitdirs");
						}
						if (isOfUser) writeFileSync(join(cwd, "../home/.gitconfig"), "[core]\nhooksPath = t/u/hooks\n");
						else git(at, "config", "core.hooksPath", "t/u/hooks");
					},
				});
				const make = `mkdir -p e/u; git init -q r; evil r/.git; mv r/.git/hooks e/u/hooks; cp -r e ${directory}/e; cd ${directory}`;
				for (const place of [
					"ln -s e t",
					"mkdir -p t/u; mv t was; ln -s e t",
					"mkdir t; ln -s ../e/u t/u",
					'mkdir -p t; ln -s "$PWD/e/u/hooks" t/u; mv t was2; ln -s e t',
				]) {
					await box.run(`(${evil(box)}; ${make}; ${place})`);
					expect(gitRuns(box, directory, [["checkout", "-q", "-b", "x"], ...usual])).toBe(false);
				}
				expect(existsSync(join(box.cwd, directory, "e/u/hooks/post-checkout"))).toBe(true);
				const reported = box.sandbox.disarmed().map(({ what }) => what);
				expect(
					reported.some((what) => what.endsWith("t was removed: it is on the way to what is protected")),
				).toBe(true);
			},
		);

	linked(
		`regression: what the user makes git run is protected from the next command on, with ${kind}`,
		async () => {
			const deep = "a/b/c/n";
			await using box = await sandboxFixture({
				landlock,
				prepare(cwd) {
					for (const each of [cwd, join(cwd, deep)]) {
						mkdirSync(join(each, "scripts"), { recursive: true });
						git(each, "init", "-q");
						mkdirSync(join(each, ".git/hooks"), { recursive: true });
						writeFileSync(join(each, "scripts/co.sh"), "#!/bin/sh\n", { mode: 0o755 });
					}
				},
			});
			await box.run("true");
			for (const each of [".", deep])
				symlinkSync("../../scripts/co.sh", join(box.cwd, each, ".git/hooks/post-checkout"));
			expect(box.sandbox.isOutdated).toBe(true);
			const change =
				"git init -q r; evil r/.git; cp run a/b/c/n/scripts/co.sh; cp run a/b/c/n/scripts/post-commit";
			await box.run(`${evil(box)}; ${change}`);
			expect(readFileSync(join(box.cwd, deep, "scripts/co.sh"), "utf8")).toBe("#!/bin/sh\n");
			git(join(box.cwd, deep), "config", "core.hooksPath", "own");
			await box.run(
				`${evil(box)}; mkdir ${deep}/own; cp run ${deep}/own/post-commit; cp run ${deep}/own/post-checkout`,
			);
			expect(gitRuns(box, deep, [["checkout", "-q", "-b", "x"], ...usual])).toBe(false);
		},
	);

	linked(`regression: included settings that do not exist stay behind their link, with ${kind}`, async () => {
		await using box = await sandboxFixture({
			landlock,
			prepare(cwd) {
				git(cwd, "init", "-q");
				git(cwd, "config", "include.path", "../conf/git");
				mkdirSync(join(cwd, "vendor"));
				symlinkSync("vendor", join(cwd, "conf"));
			},
		});
		await box.run("rm conf; mkdir conf; echo evil > conf/git");
		expect(readlinkSync(join(box.cwd, "conf"))).toBe("vendor");
		expect(existsSync(join(box.cwd, "vendor/git"))).toBe(false);
	});

	linked(`regression: settings of an editor behind a link stay as they are, with ${kind}`, async () => {
		const own = { "conf/vscode/settings.json": "mine\n", "conf/helix/README": "mine\n" };
		await using box = await sandboxFixture({
			landlock,
			prepare(cwd) {
				for (const [name, text] of Object.entries(own)) {
					mkdirSync(dirname(join(cwd, name)), { recursive: true });
					writeFileSync(join(cwd, name), text);
				}
				symlinkSync("conf/vscode", join(cwd, ".vscode"));
				symlinkSync("conf/helix", join(cwd, ".helix"));
				symlinkSync("conf/zed", join(cwd, ".zed"));
			},
		});
		const text = (name: string): string => readFileSync(join(box.cwd, name), "utf8");
		await box.run("rm .vscode; mkdir .vscode; echo evil > .vscode/settings.json");
		expect(text(".vscode/settings.json")).toBe("mine\n");
		// Beside the user's, in a directory without any, and in one that is not there.
		await box.run(
			"mkdir -p conf/zed; for each in vscode/tasks helix/config zed/settings; do echo evil > conf/$each.json; done; mv conf/helix/config.json conf/helix/config.toml",
		);
		const made = ["conf/vscode/tasks.json", "conf/helix/config.toml", "conf/zed/settings.json"];
		expect(made.filter((name) => existsSync(join(box.cwd, name)))).toEqual([]);
		expect(Object.keys(own).map(text)).toEqual(Object.values(own));
		await box.run("echo x > conf/vscode/other");
		expect(text("conf/vscode/other")).toBe("x\n");
	});
}

needs(...neededPrograms)(
	"a protected link that the user replaces between two commands stays so",
	async () => {
		await using box = await sandboxFixture({
			prepare(cwd) {
				for (const name of ["one", "two"]) {
					mkdirSync(join(cwd, name));
					writeFileSync(join(cwd, name, "settings.json"), name);
				}
				symlinkSync("one", join(cwd, ".vscode"));
			},
		});
		await box.run("true");
		Bun.spawnSync(["ln", "-sfn", "two", ".vscode"], { cwd: box.cwd });
		await box.run("true");
		expect(readFileSync(join(box.cwd, ".vscode/settings.json"), "utf8")).toBe("two");
		await box.run("ln -sfn one .vscode");
		expect(readFileSync(join(box.cwd, ".vscode/settings.json"), "utf8")).toBe("two");
	},
);
