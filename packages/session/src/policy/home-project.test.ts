/** In a project that contains the home directory, its hidden entries are the user's and not the project's. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { bash, outcomeOf, useDirectories, write, type Setup } from "../../../../test/support/policy.ts";

let base = "";
let home = "";
let places = { home: "", project: "" };
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-home-project-")));
	places = useDirectories(base);
	({ home } = places);
	for (const name of ["src", "go/bin", ".config/nvim"]) mkdirSync(join(home, name), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const within = (...directories: readonly string[]): Setup => ({
	mode: "auto",
	boundary: "none",
	searchPath: [join(home, "go/bin"), "/usr/bin"],
	user: `additionalDirectories: ${JSON.stringify(directories)}\n`,
});

test("regression: a hidden entry of the home directory is not written unasked, whatever it is called", async () => {
	const setup = within(home);
	const names = [".foorc", ".config/starship.toml", ".local/lib/python3.11/site-packages/x.pth", ".cache/x"];
	for (const name of [...names, "go/bin/tool"]) {
		expect([name, await outcomeOf(setup, write(join(home, name)))]).toEqual([name, "ask"]);
		const command = `echo x > ${join(home, name)}`;
		expect([command, await outcomeOf(setup, bash(command))]).toEqual([command, "ask"]);
	}
	for (const name of ["notes.txt", "src/.env", "src/.venv/x", "go/x"])
		expect([name, await outcomeOf(setup, write(join(home, name)))]).toEqual([name, "allow"]);
	expect(await outcomeOf(setup, bash(`cat ${join(home, ".foorc")}`))).toBe("allow");
});

test("regression: a search of the project is one of the home directory where that is the project", async () => {
	mkdirSync(join(home, ".ssh"));
	writeFileSync(join(home, ".ssh/id_rsa"), "key");
	places.project = home;
	const searches = ["grep -r x .", "grep -rh x", "rg --hidden x", "find . -type f -exec grep -h x {} +"];
	for (const command of [...searches, 'grep -rh x "$HOME"'])
		expect([command, await outcomeOf({ mode: "auto" }, bash(command))]).toEqual([command, "ask"]);
	for (const command of ["grep -r x src", "cd src && rg x", "ls", "find src -name x"])
		expect([command, await outcomeOf({ mode: "auto" }, bash(command))]).toEqual([command, "allow"]);
	expect(await outcomeOf({ mode: "auto", boundary: "sandbox" }, bash("grep -r x ."))).toBe("allow");
});

test("a project inside of a hidden entry is written unasked", async () => {
	const own = join(home, ".dotfiles");
	for (const setup of [within(own), within(home, own)])
		expect(await outcomeOf(setup, write(join(own, "notes")))).toBe("allow");
});
