/** Somebody renames the project while a command runs, which continues there: git runs nothing of it under the new path. */
import { describe, expect } from "bun:test";
import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";
import { evil, gitRuns } from "./testing/user-git.ts";

const hook = "#!/bin/sh\ntrue\n";
const identity = "-c user.name=u -c user.email=u@e";

for (const landlock of [false, true]) {
	const attempt = needs("git", ...(landlock ? neededForLandlock : neededPrograms));
	describe(landlock ? "Landlock" : "bubblewrap", () => {
		attempt(
			"regression: a project that is renamed while a command runs is looked at where it is",
			async () => {
				await using box = await sandboxFixture({
					landlock,
					prepare(cwd) {
						for (const path of [cwd, join(cwd, "a/b/c/mine")]) {
							mkdirSync(path, { recursive: true });
							Bun.spawnSync(["git", "init", "-q"], { cwd: path });
							writeFileSync(join(path, ".git/hooks/pre-push"), hook, { mode: 0o755 });
						}
					},
				});
				const moved = `${box.cwd}-2`;
				const nested = `git init -q n; git -C n ${identity} commit -q --allow-empty -m 1; git update-index --add --cacheinfo 160000,$(git -C n rev-parse HEAD),n; evil n/.git`;
				const running = box.run(
					`${evil(box)}; touch ready; until [ -e go ]; do sleep 0.01; done; cd ${landlock ? "." : "../project-2"}; ${nested}; mkdir .vscode; echo evil > .vscode/tasks.json`,
				);
				while (!existsSync(join(box.cwd, "ready"))) await Bun.sleep(5);
				renameSync(box.cwd, moved);
				writeFileSync(join(moved, "go"), "");
				await running;
				expect(existsSync(join(moved, "n/.git/hooks/pre-commit"))).toBe(true);
				expect(gitRuns(box, "../project-2")).toBe(false);
				expect(gitRuns(box, "../project-2/n")).toBe(false);
				expect(existsSync(join(moved, ".vscode/tasks.json"))).toBe(false);
				for (const own of [".git", "a/b/c/mine/.git"])
					expect(statSync(join(moved, own, "hooks/pre-push")).mode & 0o111).not.toBe(0);
				expect(box.sandbox.disarmed().map(({ what }) => what)).toContain(
					`${box.cwd} was moved to ${moved} while a command ran: start Tau there again`,
				);
			},
		);
	});
}
