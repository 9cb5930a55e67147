/** Files of the project that git runs because the user's settings or hooks lead to them: commands can neither change nor make them. */
import { describe, expect } from "bun:test";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";
import { evil, gitRuns } from "./testing/user-git.ts";

interface Attempt {
	/** Run by the user before, in the project. */
	readonly prepare: string;
	readonly command: string;
	/** What the user does then. */
	readonly git?: readonly (readonly string[])[];
}

const script = (path: string): string =>
	`mkdir -p $(dirname ${path}); printf '#!/bin/sh\\ntrue\\n' > ${path}; chmod +x ${path};`;
const tool = "cp run t/f";

const attempts: Readonly<Record<string, Attempt>> = {
	"a hook that is a link": {
		prepare: `${script("t/f")} ln -s ../../t/f .git/hooks/pre-commit`,
		command: tool,
	},
	"a hook that is a link to what does not exist": {
		prepare: "ln -s ../../t/f .git/hooks/pre-commit",
		command: `mkdir -p t; ${tool}`,
	},
	"a hook that is a link through others": {
		prepare: `${script("real/f")} ln -s real t; ln -s f real/g; ln -s ../../t/g .git/hooks/pre-commit`,
		command: `cp run real/f; rm -f real/g; cp run real/g; rm -f t; mkdir t; cp run t/g`,
	},
	"a link in a directory for hooks": {
		prepare: `${script("t/f")} mkdir own; ln -s ../t/f own/pre-commit; git config core.hooksPath own`,
		command: tool,
	},
	"a directory for hooks that is a link": {
		prepare: "rm -r .git/hooks; ln -s ../t .git/hooks",
		command: "mkdir -p t; cp run t/pre-commit",
	},
};

for (const landlock of [false, true]) {
	const needed = needs("git", ...(landlock ? neededForLandlock : neededPrograms));
	describe(landlock ? "Landlock" : "bubblewrap", () => {
		for (const [name, { prepare, command, git }] of Object.entries(attempts))
			needed(`regression: git runs nothing of a command by ${name}`, async () => {
				await using box = await sandboxFixture({
					landlock,
					prepare(cwd) {
						const env = { PATH: process.env.PATH, HOME: join(cwd, "../home"), GIT_CONFIG_NOSYSTEM: "1" };
						const run = Bun.spawnSync(["bash", "-ec", `git init -q; ${prepare}`], { cwd, env });
						expect(run.stderr.toString()).toBe("");
					},
				});
				await box.run(`${evil(box)}; evil made; ${command}`);
				await box.sandbox[Symbol.asyncDispose]();
				expect(gitRuns(box, ".", git)).toBe(false);
			});
	});
}
