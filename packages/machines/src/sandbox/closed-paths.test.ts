/** A command cannot have git of the user write over files that are protected from it: by way of the index. */
import { describe, expect } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";

function git(cwd: string, ...args: string[]): string {
	const identity = ["-c", "user.name=u", "-c", "user.email=u@e"];
	const env = { PATH: process.env.PATH, HOME: join(cwd, "../home"), GIT_CONFIG_NOSYSTEM: "1" };
	return Bun.spawnSync(["git", ...identity, ...args], { cwd, env }).stdout.toString();
}

function prepare(cwd: string): void {
	git(cwd, "init", "-q");
	for (const path of ["own", ".vscode"]) mkdirSync(join(cwd, path));
	writeFileSync(join(cwd, "own/post-checkout"), "#!/bin/sh\n", { mode: 0o755 });
	writeFileSync(join(cwd, ".vscode/settings.json"), "{}\n");
	writeFileSync(join(cwd, "file"), "1\n");
	git(cwd, "add", ".");
	git(cwd, "commit", "-qm", "base");
	git(cwd, "config", "core.hooksPath", "own");
}

const evil = (path: string): string =>
	`o=$(printf '#!/bin/sh\\ntouch ../ESCAPED\\n' | git hash-object -w --stdin); git update-index --add --cacheinfo 100755,$o,${path}`;

const attempts: Readonly<Record<string, string>> = {
	"a hook": evil("own/post-checkout"),
	"a hook that does not exist": evil("own/post-index-change"),
	"settings of an editor": evil(".vscode/settings.json"),
	"settings of an editor that do not exist": evil(".vscode/tasks.json"),
	"a hook in an index of two parts": `${evil("own/post-checkout")}; git update-index --split-index; ${evil("own/post-checkout")}`,
	"a hook in an index of version 4": `git update-index --index-version 4; ${evil("own/post-checkout")}`,
};

for (const landlock of [false, true]) {
	const attempt = needs("git", ...(landlock ? neededForLandlock : neededPrograms));
	describe(landlock ? "Landlock" : "bubblewrap", () => {
		for (const [name, command] of Object.entries(attempts))
			attempt(`regression: git writes no version of a command over ${name}`, async () => {
				await using box = await sandboxFixture({ landlock, prepare });
				await box.run(command);
				git(box.cwd, "checkout", ".");
				git(box.cwd, "status");
				expect(existsSync(join(box.root, "ESCAPED"))).toBe(false);
				expect(readFileSync(join(box.cwd, ".vscode/settings.json"), "utf8")).toBe("{}\n");
				expect(existsSync(join(box.cwd, ".vscode/tasks.json"))).toBe(false);
				expect(box.sandbox.disarmed()[0]?.what).toContain("commands cannot change");
			});

		attempt("what the user has changed or staged there may be in the index", async () => {
			await using box = await sandboxFixture({ landlock, prepare });
			const settings = join(box.cwd, ".vscode/settings.json");
			await box.run("true");
			writeFileSync(settings, '{ "a": 1 }\n');
			git(box.cwd, "add", ".vscode");
			writeFileSync(settings, '{ "a": 2 }\n');
			appendFileSync(join(box.cwd, "own/post-checkout"), "true\n");
			await box.run("echo 2 > file; git add file own");
			expect(git(box.cwd, "diff", "--cached", "--name-only")).toBe(
				".vscode/settings.json\nfile\nown/post-checkout\n",
			);
			expect(readdirSync(join(box.cwd, ".git")).filter((name) => name.startsWith("odd-"))).toEqual([]);
		});
	});
}
