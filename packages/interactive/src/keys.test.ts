/** The user's keybindings apply, from Tau's file and from pi's, and mistakes in them are reported. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { appKeybindings, keyPresets, loadKeys, newKeys } from "./keys.ts";

let home = "";
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-keys-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test("without a file the defaults apply", async () => {
	const keys = newKeys();
	expect((await loadKeys(keys, home)).problems).toEqual([]);
	expect(keys.getKeys("app.tools.expand")).toEqual(["ctrl+o"]);
});

test("a YAML file changes an action, and a reload reverts it", async () => {
	const keys = newKeys();
	writeFileSync(join(home, "keybindings.yml"), "app.tools.expand: f2\n");
	expect((await loadKeys(keys, home)).problems).toEqual([]);
	expect(keys.getKeys("app.tools.expand")).toEqual(["f2"]);
	rmSync(join(home, "keybindings.yml"));
	await loadKeys(keys, home);
	expect(keys.getKeys("app.tools.expand")).toEqual(["ctrl+o"]);
});

test("pi's file is used if there is no other", async () => {
	const keys = newKeys();
	writeFileSync(join(home, "keybindings.json"), '{ "app.session.new": ["ctrl+n"] }');
	await loadKeys(keys, home);
	expect(keys.getKeys("app.session.new")).toEqual(["ctrl+n"]);
});

test("an action is found by its former name, and the present name wins", async () => {
	const keys = newKeys();
	writeFileSync(join(home, "keybindings.yml"), "app.models.favourite: f3\n");
	expect((await loadKeys(keys, home)).problems).toEqual([]);
	expect(keys.getKeys("app.models.favorite")).toEqual(["f3"]);
	for (const lines of [
		["app.models.favorite: f4", "app.models.favourite: f3"],
		["app.models.favourite: f3", "app.models.favorite: f4"],
	]) {
		writeFileSync(join(home, "keybindings.yml"), lines.join("\n"));
		expect((await loadKeys(keys, home)).problems).toEqual([]);
		expect(keys.getKeys("app.models.favorite")).toEqual(["f4"]);
	}
});

test.each(Object.keys(keyPresets))(
	"the preset %s has no conflicts, and the file's own keys win",
	async (preset) => {
		const keys = newKeys();
		writeFileSync(join(home, "keybindings.yml"), `preset: ${preset}\napp.suspend: f9\n`);
		expect(await loadKeys(keys, home)).toEqual({ problems: [], isVim: preset === "vim" });
		expect(keys.getKeys("app.suspend")).toEqual(["f9"]);
	},
);

test("an unknown preset is reported with those that there are", async () => {
	writeFileSync(join(home, "keybindings.yml"), "preset: nano\n");
	const { problems } = await loadKeys(newKeys(), home);
	expect(problems).toEqual([
		'keybindings: there is no preset "nano"; there are pi, claude, codex, emacs, vim',
	]);
});

test("an unknown action and an unreadable file are reported", async () => {
	writeFileSync(join(home, "keybindings.json"), '{ "app.tools.expnd": "f2" }');
	expect((await loadKeys(newKeys(), home)).problems).toEqual([
		"keybindings: unknown action app.tools.expnd; did you mean app.tools.expand?",
	]);
	writeFileSync(join(home, "keybindings.json"), "{");
	const [problem] = (await loadKeys(newKeys(), home)).problems;
	expect(problem).toStartWith("keybindings.json cannot be read");
});

test("no two actions of the application share a key", () => {
	const all = Object.values(appKeybindings).flatMap(({ defaultKeys }) => defaultKeys);
	expect(new Set(all).size).toBe(all.length);
});
