/** By way of the index, git of the user writes nothing that commands could not leave in the project themselves. */
import { describe, expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";

function git(cwd: string, ...args: string[]): string {
	const identity = ["-c", "user.name=u", "-c", "user.email=u@e"];
	const env = { PATH: process.env.PATH, HOME: join(cwd, "../home"), GIT_CONFIG_NOSYSTEM: "1" };
	return Bun.spawnSync(["git", ...identity, ...args], { cwd, env }).stdout.toString();
}

const deep = "a/b/c/n";

function prepare(cwd: string): void {
	for (const path of ["t/hooks", ".vscode", "sub", `${deep}/hk`])
		mkdirSync(join(cwd, path), { recursive: true });
	for (const [path, text] of [
		["t/hooks/pre-push", "#!/bin/sh\n"],
		[`${deep}/hk/pre-push`, "#!/bin/sh\n"],
		[".vscode/settings.json", "{}\n"],
		["sub/.tool-versions", "nodejs 20.0.0\n"],
		["sub/mise.toml", '[tasks]\na = "a"\n'],
		["sub/package.json", "{}\n"],
		["file", "1\n"],
	] as const)
		writeFileSync(join(cwd, path), text, { mode: 0o755 });
	for (const [at, hooks] of [
		[join(cwd, deep), "hk"],
		[cwd, "t/hooks"],
	] as const) {
		git(at, "init", "-q");
		git(at, "add", ".", `:!${deep}`);
		git(at, "commit", "-qm", "base");
		git(at, "config", "core.hooksPath", hooks);
	}
}

const functions = `put() { git update-index --add --cacheinfo "$1,$(git hash-object -w --stdin),$2"; }; evil() { printf '#!/bin/sh\\ntouch ${"$OUT"}/ESCAPED\\n'; }`;
const bare =
	"printf 'ref: refs/heads/main\\n' | put 100644 x/HEAD; for f in refs/a objects/a; do echo | put 100644 x/$f; done; printf '[core]\\nfsmonitor = evil\\n' | put 100644 x/config";

/** The command, and what `git checkout .` must not write. */
const attempts: Readonly<Record<string, readonly [command: string, path: string]>> = {
	"a link above a hook": [
		"mkdir -p e/hooks; evil > e/hooks/post-checkout; chmod +x e/hooks/*; git rm -rq --cached t; printf e | put 120000 t",
		"t/hooks/post-checkout",
	],
	"a link above settings of an editor": [
		"mkdir e; echo evil > e/tasks.json; git rm -rq --cached .vscode; printf e | put 120000 .vscode",
		".vscode/tasks.json",
	],
	"a new .tool-versions": ["echo 'node path:./evil' | put 100644 new/.tool-versions", "new/.tool-versions"],
	"a new .tool-versions of the project": [
		"echo 'node path:./evil' | put 100644 .tool-versions",
		".tool-versions",
	],
	"another .tool-versions": ["echo 'node path:./evil' | put 100644 sub/.tool-versions", "sub/.tool-versions"],
	"settings of mise": ["echo '[env]' | put 100644 sub/mise.toml", "sub/mise.toml"],
	"settings of mise as a link": ["printf ../file | put 120000 sub/.mise.toml", "sub/.mise.toml"],
	"a .tool-versions that was made, too": [
		"mkdir new; echo 'node path:./evil' > new/.tool-versions; git add new",
		"new/.tool-versions",
	],
	"settings of an editor that were made, too": [
		"echo evil > .vscode/tasks.json; git add .vscode",
		".vscode/tasks.json",
	],
	"a bare repository": [bare, "x/config"],
	"a repository of Mercurial": ["echo evil | put 100644 x/.hg/hgrc", "x/.hg/hgrc"],
	"a repository of Mercurial that was made, too": [
		"mkdir -p x/.hg; printf '[hooks]\\nx = evil\\n' > x/.hg/hgrc; git add x",
		"x/.hg/hgrc",
	],
	"a hook of a deep repository": [
		`cd ${deep}; evil | put 100755 hk/post-checkout`,
		`${deep}/hk/post-checkout`,
	],
	"a link above a hook of a deep repository": [
		`cd ${deep}; mkdir e; evil > e/post-checkout; chmod +x e/*; git update-index --force-remove hk/pre-push; printf e | put 120000 hk`,
		`${deep}/hk/post-checkout`,
	],
};

for (const landlock of [false, true]) {
	const attempt = needs("git", ...(landlock ? neededForLandlock : neededPrograms));
	describe(landlock ? "Landlock" : "bubblewrap", () => {
		for (const [name, [command, path]] of Object.entries(attempts))
			attempt(`regression: git writes nothing of a command: ${name}`, async () => {
				await using box = await sandboxFixture({ landlock, prepare });
				const file = join(box.cwd, path);
				const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
				await box.run(`(OUT=${box.home}; ${functions}; ${command})`);
				const at = path.startsWith(deep) ? join(box.cwd, deep) : box.cwd;
				git(at, "checkout", ".");
				git(at, "checkout", "-q", "-b", "x");
				expect(existsSync(join(box.home, "ESCAPED"))).toBe(false);
				expect(existsSync(file) ? readFileSync(file, "utf8") : undefined).toBe(before);
				expect(
					box.sandbox
						.disarmed()
						.map(({ what }) => what)
						.join("\n"),
				).toContain("commands cannot change");
			});

		attempt("what commands stage otherwise stays in the index", async () => {
			await using box = await sandboxFixture({ landlock, prepare });
			writeFileSync(join(box.cwd, "sub/mise.toml"), '[tasks]\nb = "b"\n');
			await box.run(
				"(cd sub; echo 'nodejs 22.1.0' > .tool-versions; echo '{ \"name\": \"a\" }' > package.json; echo '22' > .nvmrc; echo 'x' > .env; echo 'x' > .envrc; echo x > HEAD; ln -s . l; git add -fA .; echo 'nodejs 24.1.0' > .tool-versions; echo '{}' > package.json; echo 24 > .nvmrc; echo y > .env; rm .envrc; echo y > HEAD)",
			);
			expect(git(box.cwd, "diff", "--cached", "--name-only").split("\n")).toEqual(
				[".env", ".envrc", ".nvmrc", ".tool-versions", "HEAD", "l", "mise.toml", "package.json"]
					.map((name) => `sub/${name}`)
					.concat(""),
			);
			expect(readdirSync(join(box.cwd, ".git")).filter((name) => name.startsWith("odd-"))).toEqual([]);
		});
	});
}
