/** Files that must not appear are found wherever and whenever a command makes them. */
import { expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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

test.each([
	["is the user's where its directory has not changed", 500, []],
	["is looked for again where it may have changed in the same tick", 0, [expect.anything()]],
])("what was there before %s", (_, aheadMs, found) => {
	using box = boxWith(aheadMs);
	writeFileSync(box.at("mcp.json"), "{}");
	box.paths.keep();
	expect(box.paths.disarm()).toEqual(found);
});

test("a directory of the user's own gets one later", () => {
	using box = boxWith(10_000);
	mkdirSync(box.at("tool/deep"), { recursive: true });
	writeFileSync(box.at("tool/README"), "the user's");
	for (let look = 0; look < 3; look++) expect(box.paths.disarm()).toEqual([]);
	writeFileSync(box.at("tool/deep/plugin"), "");
	expect(box.paths.disarm()).toHaveLength(1);
	expect(existsSync(box.at("tool/README"))).toBe(true);
});
