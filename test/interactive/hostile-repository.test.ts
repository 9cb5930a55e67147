/** Opening an untrusted clone runs nothing of it: git is not used until the user trusts the project. */
import { describe, expect } from "bun:test";
import {
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { launch, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { openTau, type OpenOptions, type OpenTau } from "./driver.ts";

const question = "Trust this project's code?";
const key = "sk-ant-not-for-git";

/** A home with a hostile project, and traps that leave a file behind when something starts them. */
class HostileClone implements AsyncDisposable {
	readonly launched: Launched;
	readonly #traps: string;

	constructor(launched: Launched) {
		this.launched = launched;
		this.#traps = join(launched.home, "traps");
		mkdirSync(this.#traps);
		mkdirSync(join(launched.home, "ran"));
	}

	/** The traps that were started so far, by name. */
	get ran(): string[] {
		return readdirSync(join(this.launched.home, "ran")).toSorted();
	}

	/** The environment of the trap when it was started last. */
	seenBy(name: string): string {
		return readFileSync(join(this.launched.home, "ran", name), "utf8");
	}

	trap(name: string, then: string): string {
		const path = join(this.#traps, name);
		writeFileSync(path, `#!/bin/sh\nenv > ${this.launched.home}/ran/${name.split("/").at(-1)}\n${then}\n`);
		chmodSync(path, 0o755);
		return path;
	}

	/** Everything that a repository's configuration can make git run for `status` and `diff`. */
	config(directory: string): string {
		mkdirSync(join(this.#traps, "hooks"), { recursive: true });
		for (const hook of ["post-index-change", "post-checkout"]) this.trap(`hooks/${hook}`, "true");
		writeFileSync(
			join(directory, "evil.inc"),
			`[core]
	fsmonitor = ${this.trap("fsmonitor", "true")}
	hooksPath = ${this.#traps}/hooks
[diff]
	external = ${this.trap("external", "true")}
[diff "evil"]
	textconv = ${this.trap("textconv", 'cat "$1"')}
	command = ${this.trap("command", "true")}
[filter "evil"]
	clean = ${this.trap("clean", "cat")}
`,
		);
		return `[includeIf "gitdir:${dirname(directory)}/**"]\n\tpath = ${directory}/evil.inc\n[include]\n\tpath = ${directory}/evil.inc\n`;
	}

	git(cwd: string, ...args: string[]): void {
		const who = ["-c", "user.name=t", "-c", "user.email=t@t"];
		const { exitCode, stderr } = Bun.spawnSync(["git", ...who, ...args], { cwd, env: this.launched.env });
		if (exitCode !== 0) throw new Error(stderr.toString());
	}

	/** A repository on the branch `theirs` with one changed file and the hostile configuration. */
	plant(root: string, files: Readonly<Record<string, string>> = {}): void {
		this.git(root, "init", "-q", "-b", "theirs");
		for (const [name, text] of Object.entries({
			"a.txt": "one\n",
			".gitattributes": "*.txt diff=evil filter=evil\n",
			...files,
		}))
			writeFileSync(join(root, name), text);
		this.git(root, "add", "a.txt", ".gitattributes");
		this.git(root, "commit", "-q", "-m", "first");
		const config = join(root, ".git/config");
		writeFileSync(config, readFileSync(config, "utf8") + this.config(join(root, ".git")));
		writeFileSync(join(root, "a.txt"), "two\n");
	}

	/** Opens Tau with a git on PATH that records its environment, and a GIT_DIR that leads elsewhere. */
	open(options: OpenOptions = {}): Promise<OpenTau> {
		const bin = join(this.launched.home, "bin");
		mkdirSync(bin, { recursive: true });
		const real = Bun.which("git") ?? "";
		cpSync(this.trap("git", `exec '${real}' "$@"`), join(bin, "git"));
		const elsewhere = join(this.launched.home, "elsewhere");
		if (!existsSync(elsewhere)) {
			mkdirSync(elsewhere);
			this.git(elsewhere, "init", "-q", "--bare", "-b", "elsewhere");
			const config = join(elsewhere, "config");
			writeFileSync(config, readFileSync(config, "utf8") + this.config(elsewhere));
		}
		const env = {
			PATH: `${bin}:${this.launched.env["PATH"]}`,
			ANTHROPIC_API_KEY: key,
			GIT_DIR: elsewhere,
			GIT_EXTERNAL_DIFF: this.trap("variable", "true"),
		};
		return openTau({ steps: [] }, { ...options, home: this.launched, env });
	}

	/** The hostile branch gets another name, and Tau looks again: when it is shown, git would have run. */
	async lookAgain(tau: OpenTau, branch: string, shown: string | RegExp = branch): Promise<void> {
		this.git(this.#root(), "symbolic-ref", "HEAD", `refs/heads/${branch}`);
		tau.type("!true\r");
		await tau.until(shown);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.launched[Symbol.asyncDispose]();
	}

	#root(): string {
		const { project } = this.launched;
		return existsSync(join(project, ".git")) ? project : dirname(project);
	}
}

async function hostileClone(): Promise<HostileClone> {
	return new HostileClone(await launch({ steps: [] }));
}

describe("an untrusted clone", () => {
	needs("git")("runs nothing before the trust question, after a no, and for /diff", async () => {
		await using clone = await hostileClone();
		const { project } = clone.launched;
		clone.plant(project);
		mkdirSync(join(project, ".tau/extensions"), { recursive: true });
		writeFileSync(join(project, ".tau/extensions/theirs.ts"), "export default () => {};\n");
		await using tau = await clone.open({ cols: 140 });
		await tau.until(question);
		expect(clone.ran).toEqual([]);
		tau.press("down", "down");
		await tau.until("❯ No ");
		tau.press("enter");
		await tau.until("project · theirs · auto (container)");
		await clone.lookAgain(tau, "renamed", "project · renamed · auto (container)");
		tau.type("/diff\r");
		await tau.until("No changes in this session.");
		const text = tau.screen().replaceAll(/\s+/g, " ");
		expect(text).toContain("this project is not trusted and a repository's git config can run programs");
		expect(text).toContain("/trust yes");
		expect(clone.ran).toEqual([]);
	});

	needs("git")(
		"that is trusted has a dirty mark and a diff, and still runs no fsmonitor, hook or textconv",
		async () => {
			await using clone = await hostileClone();
			clone.plant(clone.launched.project);
			await using tau = await clone.open({ cols: 140 });
			await tau.until("project · theirs · auto (container)");
			expect(clone.ran).toEqual([]);
			tau.type("/trust yes\r");
			await tau.until("project · theirs* · auto (container)");
			tau.type("/diff\r");
			await tau.until(/❯ a\.txt\s+git only/);
			tau.press("enter");
			await tau.until(/\+ ?two/);
			tau.press("escape");
			await tau.until("── Changed files");
			tau.press("escape");
			await tau.untilGone("── Changed files");
			tau.type("/trust no\r");
			await tau.until("project · theirs · auto (container)");
			// Filters cannot be disabled: trust is required for them.
			expect(clone.ran).toEqual(["clean", "git"]);
			for (const name of clone.ran) {
				expect(clone.seenBy(name)).not.toContain(key);
				expect(clone.seenBy(name)).not.toContain("elsewhere");
			}
		},
	);

	needs("git")("in a directory that looks like a bare repository is read by its real .git only", async () => {
		await using clone = await hostileClone();
		const { project } = clone.launched;
		const outer = dirname(project);
		writeFileSync(join(outer, ".gitignore"), "home/\nproject/\n");
		clone.plant(outer);
		clone.git(project, "init", "-q", "--bare", "-b", "bare", project);
		const config = join(project, "config");
		writeFileSync(
			config,
			readFileSync(config, "utf8").replace("bare = true", `bare = false\n\tworktree = ${outer}`) +
				clone.config(project),
		);
		await using tau = await clone.open({ cols: 140, args: ["--trust"] });
		await tau.until("project · theirs* · auto (container)");
		await clone.lookAgain(tau, "renamed", "project · renamed* · auto (container)");
		expect(clone.ran.filter((name) => name !== "git")).toEqual([]);
		rmSync(join(outer, ".git/HEAD"));
		tau.type("!true\r");
		await tau.untilGone("renamed");
		expect(clone.ran.filter((name) => name !== "git")).toEqual([]);
	});
});
