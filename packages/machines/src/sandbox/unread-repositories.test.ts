/** However many repositories a project has, git runs nothing there that a command has changed, and what is the user's stays. */
import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { gitUser } from "./git-user.ts";
import { repositoriesBelow } from "./git-paths.ts";
import { RepositorySearch } from "./repository-search.ts";
import {
	hasMemory,
	memory,
	neededForLandlock,
	neededPrograms,
	sandboxFixture,
} from "./testing/sandbox-fixture.ts";
import { evil } from "./testing/user-git.ts";
import { UnreadRepositories } from "./unread-repositories.ts";

let root = "";
beforeEach(() => (root = realpathSync(mkdtempSync(join(hasMemory ? memory : tmpdir(), "tau-many-")))));
afterEach(() => {
	setSystemTime();
	rmSync(root, { recursive: true, force: true });
});

/** What git takes for a repository, with a setting and a hook of the user. */
function repository(path: string): string {
	for (const name of ["objects", "refs", "hooks"]) mkdirSync(join(path, name), { recursive: true });
	writeFileSync(join(path, "HEAD"), "ref: refs/heads/main\n");
	writeFileSync(join(path, "config"), "[core]\n\tbare = false\n[alias]\n\tmine = !true\n");
	writeFileSync(join(path, "hooks/pre-push"), "#!/bin/sh\n", { mode: 0o755 });
	return path;
}

const count = 340;
/** Some have a mount, some are remembered, and the others are neither. */
const changed = Array.from({ length: count }, (_, index) => `r${index}`).filter(
	(_, index) => index % 10 === 0,
);

for (const landlock of [false, true])
	describe(landlock ? "Landlock" : "bubblewrap", () => {
		needs("git", ...(landlock ? neededForLandlock : neededPrograms))(
			"regression: settings and hooks of more repositories than are remembered",
			async () => {
				await using box = await sandboxFixture({
					landlock,
					inMemory: true,
					prepare(cwd) {
						for (let index = 0; index < count; index++) repository(join(cwd, `r${index}/.git`));
					},
				});
				const change = `for i in ${changed.join(" ")}; do cp run $i/.git/hooks/pre-commit; printf '[core]\\n\\tfsmonitor = %s/run\\n' $PWD >> $i/.git/config; done 2> /dev/null`;
				await box.run(`${evil(box)}; evil made; ${change}`);
				await box.run(`${evil(box)}; evil made; ${change}`);
				await box.sandbox[Symbol.asyncDispose]();
				const isArmed = (name: string): boolean =>
					/fsmonitor/.test(readFileSync(join(box.cwd, name, ".git/config"), "utf8")) ||
					isExecutable(join(box.cwd, name, ".git/hooks/pre-commit"));
				expect(changed.filter(isArmed)).toEqual([]);
				const others = Array.from({ length: count }, (_, index) => `r${index}`).filter(
					(name) => !changed.includes(name),
				);
				const isWhole = (name: string): boolean =>
					/mine/.test(readFileSync(join(box.cwd, name, ".git/config"), "utf8")) &&
					isExecutable(join(box.cwd, name, ".git/hooks/pre-push"));
				expect(others.filter((name) => !isWhole(name))).toEqual([]);
			},
			60_000,
		);
	});

function isExecutable(path: string): boolean {
	return existsSync(path) && (statSync(path).mode & 0o111) !== 0;
}

test("regression: a directory of many others keeps no repository beside it from its protection", () => {
	for (let index = 0; index < 1200; index++) mkdirSync(join(root, `data/${index}`), { recursive: true });
	const names = ["a", "data/0/part", "z"].map((name) => repository(join(root, name, ".git")));
	const { readOnly } = repositoriesBelow(root, gitUser("/home/none"));
	const expected = [names[0], names[2]].map((path) => join(path ?? "", "config"));
	expect(readOnly.filter((path) => path.endsWith("/config")).toSorted()).toEqual(expected);
});

test("regression: repositories in more directories than are searched are found late, and their user's as long as they do not change", () => {
	for (let index = 0; index < 4100; index++) mkdirSync(join(root, `${index}/.git`), { recursive: true });
	const search = new RepositorySearch([root]);
	const first = search.appeared();
	expect(first.length).toBeGreaterThan(3500);
	const made = repository(join(root, "made/.git"));
	const later = search.appeared();
	expect(later.length + first.length).toBe(4101);
	expect(later.filter(({ isLate }) => !isLate).map(({ path }) => path)).toEqual([made]);
	expect(later.filter(({ isOlder }) => isOlder)).toEqual([]);
	expect(search.isCut).toBe(false);

	const late = repository(later.find(({ isLate }) => isLate)?.path ?? "");
	setSystemTime(Date.now() + 1000);
	const unread = new UnreadRepositories([]);
	expect(unread.add(late)).toBe(true);
	expect(unread.changed()).toEqual([]);
	mkdirSync(join(late, "logs"));
	expect(unread.changed()).toEqual([]);
	writeFileSync(join(late, "hooks/pre-push"), "#!/bin/sh\ntrue\n");
	unread.keep();
	expect(unread.changed()).toEqual([]);
	for (const change of ["hooks/pre-push", "hooks/pre-commit", "config", "commondir"]) {
		const known = new UnreadRepositories([late]);
		writeFileSync(join(late, change), "changed\n");
		expect(known.changed()).toEqual([late]);
		expect(known.changed()).toEqual([]);
	}
	setSystemTime();
	expect(new UnreadRepositories([]).add(late)).toBe(false);
}, 60_000);

test("regression: directories that a command makes hide a repository only if that is said", () => {
	mkdirSync(join(root, "src"));
	const search = new RepositorySearch([root]);
	search.appeared();
	for (let index = 0; index < 4100; index++) mkdirSync(join(root, `${index}`));
	const made = search.appeared();
	expect([made, search.isCut]).toEqual([[], true]);
	for (let index = 0; index < 4100; index++) rmSync(join(root, `${index}`), { recursive: true });
	repository(join(root, "src/new/.git"));
	expect(search.appeared().map(({ path }) => path)).toEqual([join(root, "src/new/.git")]);
	expect(search.isCut).toBe(false);
}, 60_000);

needs(...neededPrograms)(
	"the result says once that a command has made more directories than are looked at",
	async () => {
		await using box = await sandboxFixture({ inMemory: true });
		await box.run("mkdir $(seq 4100)");
		await box.run("mkdir a");
		await box.sandbox[Symbol.asyncDispose]();
		const said = box.sandbox.disarmed().map(({ what }) => what);
		expect(said).toEqual([expect.stringContaining("more directories than Tau looks at")]);
	},
	60_000,
);
