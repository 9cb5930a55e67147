/** Colors follow the user's choice, or the terminal's background by default. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { ThemeStore } from "./theme-store.ts";

let home = "";
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-themes-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function store(name: string): ThemeStore {
	return new ThemeStore({ mode: "truecolor", directory: home, name, appearance: "dark" });
}

test("auto follows the terminal, a name does not", () => {
	const auto = store("auto");
	expect(auto.current.name).toBe("dark");
	auto.setAppearance("light");
	expect(auto.current.name).toBe("light");
	const chosen = store("forest");
	chosen.setAppearance("light");
	expect(chosen.current.name).toBe("forest");
});

test("of two names the one for the terminal's background is used", () => {
	const themes = store("light/forest");
	expect(themes.current.name).toBe("forest");
	themes.setAppearance("light");
	expect(themes.current.name).toBe("light");
	expect(themes.set("dark/nope")).toEqual({ ok: true });
	expect(themes.current.name).toBe("dark");
	expect(themes.set("nope/dark")).toMatchObject({ ok: false });
	expect(themes.name).toBe("dark/nope");
});

test("listeners get a change once", () => {
	const themes = store("auto");
	const received: string[] = [];
	using _ = themes.onChange(({ name }) => received.push(name));
	expect(themes.set("light")).toEqual({ ok: true });
	expect(themes.set("light")).toEqual({ ok: true });
	themes.setAppearance("light");
	expect(received).toEqual(["light"]);
});

test("a typo is answered with the nearest name, and changes nothing", () => {
	const themes = store("dark");
	expect(themes.set("forst")).toEqual({
		ok: false,
		message: "Theme forst not found. Did you mean forest?",
	});
	expect(themes.current.name).toBe("dark");
});

test("a file of the user is a theme, and a broken one reports where", () => {
	writeFileSync(join(home, "mine.json"), "{");
	const themes = store("dark");
	expect(themes.list().map(({ name }) => name)).toContain("mine");
	const outcome = themes.set("mine");
	expect(outcome.ok ? "" : outcome.message).toContain(join(home, "mine.json"));
});

const forest = "../../tui/src/theme/themes/forest.json";

test("a theme given by path overrides all others, also if the user's own are disabled", () => {
	const [own, named] = [join(home, "own"), join(home, "named")];
	for (const directory of [own, named]) {
		mkdirSync(directory);
		cpSync(join(import.meta.dir, forest), join(directory, "night.json"));
		cpSync(join(import.meta.dir, forest), join(directory, `${basename(directory)}.json`));
	}
	const files = ["night.json", "named.json"].map((file) => join(named, file));
	const both = { mode: "truecolor", named: files, name: "night", appearance: "dark" } as const;
	const pathOf = (themes: ThemeStore) => themes.list().find(({ name }) => name === "night")?.path;
	const themes = new ThemeStore({ ...both, directory: own });
	expect(themes.current.sourcePath).toBe(join(named, "night.json"));
	expect(pathOf(themes)).toBe(join(named, "night.json"));
	expect(themes.list().map(({ name }) => name)).toContain("own");
	const alone = new ThemeStore({ ...both, directory: undefined });
	expect(alone.current.sourcePath).toBe(join(named, "night.json"));
	expect(alone.list().map(({ name }) => name)).not.toContain("own");
});

test("a theme of a package is available by name, after those of the user", () => {
	const theme: object = JSON.parse(readFileSync(join(import.meta.dir, forest), "utf8"));
	const packaged = ["mine.json", "night.json"].map((file) => join(home, "package", file));
	mkdirSync(join(home, "package"));
	for (const path of packaged) writeFileSync(path, JSON.stringify({ ...theme, name: "of the package" }));
	writeFileSync(join(home, "mine.json"), JSON.stringify({ ...theme, name: "of the user" }));
	const themes = store("dark");
	themes.packaged = () => packaged;
	expect(themes.list().filter(({ path }) => path !== undefined)).toEqual([
		{ name: "mine", path: join(home, "mine.json") },
		{ name: "night", path: join(home, "package/night.json") },
	]);
	expect(themes.set("night")).toEqual({ ok: true });
	expect(themes.current.name).toBe("of the package");
	themes.set("mine");
	expect(themes.current.name).toBe("of the user");
});

test("a missing theme does not prevent the start", () => {
	expect(store("was-deleted").current.name).toBe("dark");
});
