/** A person's keys count, in Tau's file and in pi's, and a slip in them is said. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { appKeybindings, loadKeys, newKeys } from "./keys.ts";

let home = "";
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-keys-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test("without a file the usual keys count", async () => {
	const keys = newKeys();
	expect(await loadKeys(keys, home)).toEqual([]);
	expect(keys.getKeys("app.tools.expand")).toEqual(["ctrl+o"]);
});

test("a file in YAML changes an action, and a reload takes it back", async () => {
	const keys = newKeys();
	writeFileSync(join(home, "keybindings.yml"), "app.tools.expand: f2\n");
	expect(await loadKeys(keys, home)).toEqual([]);
	expect(keys.getKeys("app.tools.expand")).toEqual(["f2"]);
	rmSync(join(home, "keybindings.yml"));
	await loadKeys(keys, home);
	expect(keys.getKeys("app.tools.expand")).toEqual(["ctrl+o"]);
});

test("pi's file is read where there is no other", async () => {
	const keys = newKeys();
	writeFileSync(join(home, "keybindings.json"), '{ "app.session.new": ["ctrl+n"] }');
	await loadKeys(keys, home);
	expect(keys.getKeys("app.session.new")).toEqual(["ctrl+n"]);
});

test("an action that there is not, and a file that cannot be read, are said", async () => {
	writeFileSync(join(home, "keybindings.json"), '{ "app.tools.expnd": "f2" }');
	expect(await loadKeys(newKeys(), home)).toEqual([
		"keybindings: unknown action app.tools.expnd; did you mean app.tools.expand?",
	]);
	writeFileSync(join(home, "keybindings.json"), "{");
	const [problem] = await loadKeys(newKeys(), home);
	expect(problem).toStartWith("keybindings.json cannot be read");
});

test("no two actions of the application share a key", () => {
	const all = Object.values(appKeybindings).flatMap(({ defaultKeys }) => defaultKeys);
	expect(new Set(all).size).toBe(all.length);
});
