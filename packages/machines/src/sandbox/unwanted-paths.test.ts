/** Files that must not appear are found wherever and whenever a command makes them. */
import { expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	rmdirSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";
import { UnwantedPaths } from "./unwanted-paths.ts";

interface Box extends Disposable {
	readonly root: string;
	readonly paths: UnwantedPaths;
	at(name: string): string;
}

/** With a clock that is ahead: what was changed now is old. */
function boxWith(aheadMs: number): Box {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "tau-unwanted-")));
	const at = (name: string): string => join(root, name);
	const files = ["mcp.json", "tool/settings.json", "tool/deep/plugin", "other/config"].map(at);
	const paths = new UnwantedPaths(files, ["tool", "tool/deep", "other"].map(at), () => Date.now() + aheadMs);
	return { root, paths, at, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

const ways: readonly (readonly [how: string, make: (box: Box) => void, gone: string])[] = [
	["in the project", ({ at }) => writeFileSync(at("mcp.json"), "{}"), "mcp.json"],
	[
		"in a directory that was not there",
		({ at }) => {
			mkdirSync(at("tool/deep"), { recursive: true });
			writeFileSync(at("tool/deep/plugin"), "");
		},
		"tool/deep/plugin",
	],
	[
		"as a directory",
		({ at }) => mkdirSync(at("tool/settings.json"), { recursive: true }),
		"tool/settings.json",
	],
	[
		"by a directory that is moved there",
		({ at }) => {
			mkdirSync(at("draft"));
			writeFileSync(at("draft/config"), "");
			renameSync(at("draft"), at("other"));
		},
		"other/config",
	],
	[
		"behind a link in the place of its directory",
		({ at }) => {
			mkdirSync(at("elsewhere"), { recursive: true });
			writeFileSync(at("elsewhere/config"), "");
			symlinkSync("elsewhere", at("other"));
		},
		"other/config",
	],
];

for (const aheadMs of [0, 10_000])
	test.each(ways)(
		`%s, also after looks that found nothing (clock ahead by ${aheadMs} ms)`,
		(_, make, gone) => {
			using box = boxWith(aheadMs);
			for (let look = 0; look < 3; look++) expect(box.paths.disarm()).toEqual([]);
			make(box);
			expect(box.paths.disarm()).not.toEqual([]);
			expect(existsSync(box.at(gone))).toBe(false);
			expect(box.paths.disarm()).toEqual([]);
			// Once more, in what is there now.
			if (!existsSync(box.at("other"))) make(box);
			else writeFileSync(box.at("other/config"), "");
			expect(box.paths.disarm()).not.toEqual([]);
			expect(existsSync(box.at(gone))).toBe(false);
		},
	);

for (const aheadMs of [0, 10_000])
	test.each(ways)(`%s, before any look (clock ahead by ${aheadMs} ms)`, (_, make, gone) => {
		using box = boxWith(aheadMs);
		box.paths.keep();
		make(box);
		expect(box.paths.disarm()).not.toEqual([]);
		expect(existsSync(box.at(gone))).toBe(false);
	});

/** A clock that is ahead takes the last change for old, although the next one may get the same time. */
function passTick(directory: string): void {
	const time = (): bigint => statSync(directory, { bigint: true }).ctimeNs;
	for (const before = time(); time() === before;) {
		mkdirSync(join(directory, "tick"));
		rmdirSync(join(directory, "tick"));
	}
}

test.each([0, 500, 10_000])(
	"what the user makes while no command runs stays (clock ahead by %d ms)",
	(aheadMs) => {
		using box = boxWith(aheadMs);
		box.paths.keep();
		writeFileSync(box.at("mcp.json"), "{}");
		expect(box.paths.hasOwn(false)).toBe(false);
		expect(box.paths.hasOwn(true)).toBe(true);
		writeFileSync(box.at("beside"), "");
		expect(box.paths.disarm()).toEqual([]);
		expect(readFileSync(box.at("mcp.json"), "utf8")).toBe("{}");
		// Without it, a command may make another one.
		passTick(box.root);
		rmSync(box.at("mcp.json"));
		expect(box.paths.hasOwn(true)).toBe(false);
		passTick(box.root);
		writeFileSync(box.at("mcp.json"), "evil");
		expect(box.paths.disarm()).toHaveLength(1);
		expect(existsSync(box.at("mcp.json"))).toBe(false);
	},
);

for (const landlock of [false, true])
	needs(...(landlock ? neededForLandlock : neededPrograms))(
		`regression: settings that the user makes between two commands stay as they are, with ${landlock ? "Landlock" : "bubblewrap"}`,
		async () => {
			await using box = await sandboxFixture({ landlock });
			await box.run("true");
			expect(box.sandbox.isOutdated).toBe(false);
			const names = ["mise.toml", ".vscode/settings.json", ".claude/settings.json", ".dir-locals.el"];
			for (const name of names) {
				mkdirSync(dirname(join(box.cwd, name)), { recursive: true });
				writeFileSync(join(box.cwd, name), "mine\n");
			}
			// The next command of a session gets another sandbox, and this one protects them, too.
			expect(box.sandbox.isOutdated).toBe(true);
			const texts = (): string[] => names.map((name) => readFileSync(join(box.cwd, name), "utf8"));
			await box.run("echo x > beside; echo x > .vscode/beside; echo x > .claude/beside");
			expect(texts()).toEqual(names.map(() => "mine\n"));
			await box.run(names.map((name) => `echo evil >> ${name}`).join("; "));
			await box.run(names.map((name) => `rm -f ${name}; echo evil > ${name}`).join("; "));
			expect(texts()).toEqual(names.map(() => "mine\n"));
		},
	);

test("a directory of the user's own gets one later", () => {
	using box = boxWith(10_000);
	mkdirSync(box.at("tool/deep"), { recursive: true });
	writeFileSync(box.at("tool/README"), "the user's");
	for (let look = 0; look < 3; look++) expect(box.paths.disarm()).toEqual([]);
	writeFileSync(box.at("tool/deep/plugin"), "");
	expect(box.paths.disarm()).toHaveLength(1);
	expect(existsSync(box.at("tool/README"))).toBe(true);
});
