/** A program outside replaces what is protected, which takes the mount over it away: it stays protected from commands. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { mountPoints } from "./mount-points.ts";
import { neededPrograms, sandboxFixture, type SandboxFixture } from "./testing/sandbox-fixture.ts";

const sandboxed = needs(...neededPrograms, "git");
const hook = "#!/bin/sh\ntrue\n";

async function fixture(): Promise<SandboxFixture> {
	return await sandboxFixture({
		files: {
			"project/.githooks/mine": hook,
			"project/.githooks/deep/mine": hook,
			"project/.vscode/settings.json": "{}",
		},
		prepare(cwd) {
			Bun.spawnSync(["git", "init", "-q"], { cwd });
			Bun.spawnSync(["git", "config", "core.hooksPath", ".githooks"], { cwd });
		},
	});
}

/** Does something outside while the command runs, which continues then. */
async function during(box: SandboxFixture, outside: () => void, command: string): Promise<void> {
	const running = box.run(`touch ready; until [ -e go ]; do sleep 0.01; done; ${command}`);
	while (!existsSync(join(box.cwd, "ready"))) await Bun.sleep(5);
	outside();
	writeFileSync(join(box.cwd, "go"), "");
	await running;
	rmSync(join(box.cwd, "ready"));
	rmSync(join(box.cwd, "go"));
}

function replace(box: SandboxFixture): void {
	const path = join(box.cwd, ".githooks");
	renameSync(path, join(box.root, "old-hooks"));
	mkdirSync(join(path, "deep"), { recursive: true });
	for (const name of ["mine", "deep/mine"]) writeFileSync(join(path, name), hook);
}

sandboxed(
	"regression: settings that git replaces several times stay protected, whatever inode they get",
	async () => {
		await using box = await fixture();
		const config = join(box.cwd, ".git/config");
		for (let turn = 1; turn <= 4; turn++) {
			for (let change = 0; change < turn; change++)
				Bun.spawnSync(["git", "config", "a.b", `${turn}-${change}`], { cwd: box.cwd });
			await box.run("printf '[core]\\n\\tfsmonitor = ./evil\\n' >> .git/config");
			const text = readFileSync(config, "utf8");
			expect(text).not.toContain("evil");
			expect(text).toContain(`b = ${turn}-${turn - 1}`);
		}
	},
);

sandboxed(
	"regression: hooks stay the user's in a directory that is replaced while a command runs",
	async () => {
		await using box = await fixture();
		const evil =
			"echo evil > .githooks/post-checkout; echo evil > .githooks/mine; echo evil > .githooks/deep/new";
		await during(box, () => replace(box), evil);
		const names = readdirSync(join(box.cwd, ".githooks")).toSorted();
		expect(names).toEqual([
			"deep",
			"mine",
			expect.stringMatching(/^mine\.replaced-/),
			expect.stringMatching(/^post-checkout\.replaced-/),
		]);
		expect(readFileSync(join(box.cwd, ".githooks/mine"), "utf8")).toBe(hook);
		expect(existsSync(join(box.cwd, ".githooks/deep/new"))).toBe(false);
		expect(box.sandbox.disarmed()).toHaveLength(3);
		expect(box.sandbox.isOutdated).toBe(true);
	},
);

sandboxed("nothing is changed in one that only the user replaces", async () => {
	await using box = await fixture();
	await during(box, () => replace(box), "true");
	expect(readdirSync(join(box.cwd, ".githooks")).toSorted()).toEqual(["deep", "mine"]);
	expect(box.sandbox.disarmed()).toEqual([]);
});

const instead: Readonly<Record<string, string>> = {
	"a link": "mkdir v; mv .githooks away; echo evil > v/post-checkout; ln -s v .githooks",
	"too many files": "touch .githooks/{1..300}; echo evil > .githooks/post-checkout",
	"a closed directory": "echo evil > .githooks/deep/post-checkout; chmod 000 .githooks/deep",
};

for (const [name, command] of Object.entries(instead))
	sandboxed(`a command cannot hide its hook behind ${name}`, async () => {
		await using box = await fixture();
		await during(box, () => replace(box), command);
		expect(existsSync(join(box.cwd, ".githooks/post-checkout"))).toBe(false);
		expect(existsSync(join(box.cwd, ".githooks/deep/post-checkout"))).toBe(false);
		expect(box.sandbox.disarmed().length).toBeGreaterThan(0);
	});

sandboxed(
	"regression: what the user sets while a command runs is kept beside the settings it is taken from",
	async () => {
		await using box = await fixture();
		const set = (): unknown => Bun.spawnSync(["git", "config", "alias.mine", "!true"], { cwd: box.cwd });
		await during(box, set, "git status");
		const config = join(box.cwd, ".git/config");
		expect(readFileSync(config, "utf8")).not.toContain("mine");
		const [denial, ...others] = box.sandbox.disarmed();
		expect(others).toEqual([]);
		const [, kept] =
			/What it was is in (config\.replaced-\w+): if you have set something meanwhile, set it again$/.exec(
				denial?.what ?? "",
			) ?? [];
		expect(readFileSync(join(box.cwd, ".git", kept ?? ""), "utf8")).toContain("mine = !true");
		// The next command does not take it for something that does not belong there.
		set();
		await box.run("git status");
		expect(readFileSync(config, "utf8")).toContain("mine");
		expect(existsSync(join(box.cwd, ".git", kept ?? ""))).toBe(true);
		expect(box.sandbox.disarmed()).toEqual([]);
	},
);

sandboxed("regression: a protected file that the user has removed is not made by a command", async () => {
	await using box = await fixture();
	await box.run("true");
	const path = join(box.cwd, ".vscode/settings.json");
	rmSync(path);
	await box.run("echo evil > .vscode/settings.json");
	expect(existsSync(path)).toBe(false);
	expect(box.sandbox.disarmed().map(({ what }) => what)).toEqual([
		expect.stringContaining(".vscode/settings.json was renamed to settings.json.replaced-"),
	]);
});

test("mounts of this process are listed", () => {
	expect(mountPoints(process.pid)?.has("/proc")).toBe(process.platform === "linux");
	expect(mountPoints(2 ** 30)).toBeUndefined();
});
