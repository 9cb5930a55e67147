/** Wherever git reads the settings of the user: what they name in the project cannot be changed by a command. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { gitUser } from "./git-user.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";
import { evil, gitRuns } from "./testing/user-git.ts";

interface Source {
	variables(home: string, cwd: string): Record<string, string>;
	/** Below the home directory. */
	readonly file?: string;
}

const hooks = "core.hooksPath";
/** Relative: of each work tree. */
const sources: Readonly<Record<string, Source>> = {
	"the file of GIT_CONFIG_GLOBAL": {
		variables: (home) => ({ GIT_CONFIG_GLOBAL: join(home, "named") }),
		file: "named",
	},
	"the file of GIT_CONFIG_SYSTEM": {
		variables: (home) => ({ GIT_CONFIG_SYSTEM: join(home, "named"), GIT_CONFIG_NOSYSTEM: "0" }),
		file: "named",
	},
	"the directory of XDG_CONFIG_HOME": {
		variables: (home) => ({ XDG_CONFIG_HOME: join(home, "named") }),
		file: "named/git/config",
	},
	GIT_CONFIG_COUNT: {
		variables: () => ({ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: hooks, GIT_CONFIG_VALUE_0: "own" }),
	},
	GIT_CONFIG_PARAMETERS: { variables: () => ({ GIT_CONFIG_PARAMETERS: `'a.b=c' '${hooks}'='own'` }) },
	"a file that GIT_CONFIG_COUNT includes": {
		variables: (_home, cwd) => ({
			GIT_CONFIG_COUNT: "1",
			GIT_CONFIG_KEY_0: "include.path",
			GIT_CONFIG_VALUE_0: join(cwd, "included"),
		}),
	},
};

for (const landlock of [false, true]) {
	const attempt = needs("git", ...(landlock ? neededForLandlock : neededPrograms));
	describe(landlock ? "Landlock" : "bubblewrap", () => {
		for (const [name, { variables, file }] of Object.entries(sources))
			attempt(`regression: git runs no hooks of a command that ${name} leads to`, async () => {
				const given = (cwd: string): Record<string, string> => variables(join(cwd, "../home"), cwd);
				await using box = await sandboxFixture({
					landlock,
					variables: given,
					...(file === undefined ? {} : { files: { [`home/${file}`]: `[core]\n\thooksPath = own\n` } }),
					prepare(cwd) {
						mkdirSync(join(cwd, "own"));
						writeFileSync(join(cwd, "own/x"), "");
						writeFileSync(join(cwd, "included"), "[user]\n\tname = u\n");
						Bun.spawnSync(["git", "init", "-q"], { cwd });
					},
				});
				await box.run(
					`${evil(box)}; evil made; cp made/hooks/post-checkout made/hooks/pre-commit own; cp made/config included`,
				);
				expect(gitRuns(box, ".", undefined, given(box.cwd))).toBe(false);
			});
	});
}

for (const landlock of [false, true])
	for (const exists of [false, true])
		needs("git", ...(landlock ? neededForLandlock : neededPrograms))(
			`regression: settings of git stay in a writable XDG_CONFIG_HOME (${landlock ? "Landlock" : "bubblewrap"}, ${exists ? "there before" : "new"})`,
			async () => {
				const config = (cwd: string): string => join(cwd, "../home/named");
				await using box = await sandboxFixture({
					landlock,
					files: { [`home/named/${exists ? "git/config" : "other"}`]: "" },
					writable: ["~/named"],
					named: (cwd) => [config(cwd)],
					variables: (cwd) => ({ XDG_CONFIG_HOME: config(cwd) }),
					prepare: (cwd) => void Bun.spawnSync(["git", "init", "-q"], { cwd }),
				});
				await box.run(
					`${evil(box)}; evil made; mkdir -p ../home/named/git; cat made/config >> ../home/named/git/config; echo x > ../home/named/free`,
				);
				expect(gitRuns(box, ".", undefined, { XDG_CONFIG_HOME: config(box.cwd) })).toBe(false);
				expect(existsSync(join(config(box.cwd), "free"))).toBe(true);
			},
		);

test("variables with settings are read as git writes them", () => {
	const { settings } = gitUser("/home/u", {
		GIT_CONFIG_PARAMETERS: `'includeIf.gitdir:~/a.b/.path'='/it'\\''s' 'core.hooksPath=x=y' 'alias.st'`,
		GIT_CONFIG_COUNT: "no number",
	});
	expect(settings).toEqual([
		{ section: "includeif", key: "path", value: "/it's" },
		{ section: "core", key: "hookspath", value: "x=y" },
		{ section: "alias", key: "st", value: "" },
	]);
});
