/** A link on the way to something protected is as protected as that: a command cannot lead the user's programs elsewhere. */
import { expect } from "bun:test";
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";
import { evil, gitRuns } from "./testing/user-git.ts";

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
