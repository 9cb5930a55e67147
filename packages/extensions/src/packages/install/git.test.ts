/** Packages from repositories, with a real git. */
import { expect } from "bun:test";
import { chmodSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../../test/support/needs.ts";
import { playRegistry } from "../../../../../test/support/registry.ts";
import { installPackages, updatePackages } from "../change.ts";
import { rootOf } from "../homes.ts";
import { workshopWith } from "../testing/workshop.ts";

const test = needs("git");

const openWorkshop = workshopWith(playRegistry);
type Workshop = ReturnType<typeof openWorkshop>;

function git(directory: string, ...words: string[]): string {
	const who = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"];
	const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...who, ...words], {
		cwd: directory,
		env: { PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: "1" },
	});
	if (exitCode !== 0) throw new Error(stderr.toString());
	return stdout.toString().trim();
}

function commit(shop: Workshop, version: string, tag?: string): string {
	const manifest = { name: "from-git", version, pi: { extensions: ["index.ts"] } };
	const repo = shop.put("repo", { "package.json": JSON.stringify(manifest), "index.ts": `// ${version}` });
	if (!existsSync(join(repo, ".git"))) git(repo, "init", "--quiet");
	git(repo, "add", ".");
	git(repo, "commit", "--quiet", "-m", version);
	if (tag !== undefined) git(repo, "tag", tag);
	return git(repo, "rev-parse", "HEAD");
}

test("a repository is fetched at a tag, branch or commit, and without one follows its newest state", async () => {
	using shop = openWorkshop();
	const first = commit(shop, "1.0.0", "v1");
	commit(shop, "2.0.0");
	const url = `git:file://${shop.base}/repo`;
	const versionOf = async (source: string): Promise<unknown> => {
		const done = await shop.install(source);
		return typeof done === "string" ? done : done[0]?.entry.version;
	};
	expect(await versionOf(`${url}@v1`)).toBe("1.0.0");
	expect(await versionOf(`${url}@${first}`)).toBe("1.0.0");
	expect(await updatePackages([], shop.options)).toMatchObject({ value: [{ state: "pinned" }] });
	expect(await versionOf(url)).toBe("2.0.0");
	expect(await updatePackages([], shop.options)).toMatchObject({ value: [{ state: "current" }] });
	const newest = commit(shop, "3.0.0");
	expect(await updatePackages([], shop.options)).toMatchObject({
		value: [{ after: "3.0.0", state: "updated" }],
	});
	const entry = shop.state().plugins.get("from-git");
	expect(entry?.resolved).toBe(newest);
	expect(entry && existsSync(join(rootOf(shop.user, entry), ".git"))).toBe(false);
	expect(shop.folders()).toHaveLength(1);
});

test("a missing repository or ref is reported, and nothing is left behind", async () => {
	using shop = openWorkshop();
	expect(await shop.install(`git:file://${shop.base}/absent`)).toContain("git failed");
	commit(shop, "1.0.0");
	expect(await shop.install(`git:file://${shop.base}/repo@no-such-tag`)).toContain("no-such-tag");
	expect(shop.folders()).toEqual([]);
});

test("a link in a repository that leads out of it is rejected", async () => {
	using shop = openWorkshop();
	const repo = shop.put("repo", { "package.json": '{"name":"x"}' });
	symlinkSync("/etc", join(repo, "skills"));
	commit(shop, "1.0.0");
	expect(await shop.install(`git:file://${shop.base}/repo`)).toContain(
		"skills is a link that points outside it",
	);
	expect(shop.folders()).toEqual([]);
});

test("the user's git hooks do not run when a repository is fetched", async () => {
	using shop = openWorkshop();
	commit(shop, "1.0.0");
	const hooks = shop.put("hooks", { "post-checkout": `#!/bin/sh\ntouch ${shop.base}/ran\n` });
	chmodSync(join(hooks, "post-checkout"), 0o755);
	shop.put("home", { ".gitconfig": `[core]\n\thooksPath = ${hooks}\n` });
	expect(await shop.install(`git:file://${shop.base}/repo`)).toMatchObject([{ name: "from-git" }]);
	expect(existsSync(join(shop.base, "ran"))).toBe(false);
});

test("git does not get the model keys of the environment", async () => {
	using shop = openWorkshop();
	const bin = shop.put("bin", { git: `#!/bin/sh\nenv > ${shop.base}/seen\nexit 1\n` });
	chmodSync(join(bin, "git"), 0o755);
	const env = {
		...shop.options.env,
		PATH: `${bin}:${process.env.PATH}`,
		ANTHROPIC_API_KEY: "sk-secret",
		HTTPS_PROXY: "http://p",
	};
	const source = { kind: "git", url: "https://host/a/b", host: "host", path: "a/b" } as const;
	expect(await installPackages([{ source, features: undefined }], { ...shop.options, env })).toMatchObject({
		ok: false,
	});
	const seen = readFileSync(join(shop.base, "seen"), "utf8");
	expect(seen).toContain("HTTPS_PROXY=http://p");
	expect(seen).not.toContain("sk-secret");
});
