/** Files of a project that decide what a program does which only reads. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { bash, outcomeOf, useDirectories } from "../../../../test/support/policy.ts";

const all = realpathSync(mkdtempSync(join(homedir(), ".tau-settings-test-")));
afterAll(() => rmSync(all, { recursive: true, force: true }));

let count = 0;
let home = "";
let project = "";
beforeEach(() => {
	const base = join(all, String(count++));
	mkdirSync(base);
	({ home, project } = useDirectories(base));
	mkdirSync(join(project, "src"));
});

// Without a sandbox, none of these programs runs unasked.
const setup = { mode: "ask", boundary: "sandbox" } as const;
const outcome = (command: string): Promise<string> => outcomeOf(setup, bash(command));

test("the registry, cache and logs of npm are settings of the project", async () => {
	expect(await outcome("npm ls && npm -v && npx --version")).toBe("allow");
	writeFileSync(join(project, ".npmrc"), "registry=http://127.0.0.1:9/\n");
	for (const command of ["npm ls", "npm -v", "npx --version", "npm config get registry", "cd src; npm ls"])
		expect([command, await outcome(command)]).toEqual([command, "ask"]);
});

test("a command that goes elsewhere, or writes, may change which settings npm finds", async () => {
	for (const command of ["cd src && npm ls", "cp a .npmrc && npm ls"])
		expect([command, await outcome(command)]).toEqual([command, "ask"]);
});

test("the user's own settings are trusted, and programs that read none are not asked about", async () => {
	writeFileSync(join(home, ".npmrc"), "registry=http://127.0.0.1:9/\n");
	expect(await outcome("npm ls")).toBe("allow");
	writeFileSync(join(project, ".npmrc"), "");
	expect(await outcome("ls && node --version")).toBe("allow");
});

test("bun reads settings that load code", async () => {
	expect(await outcome("bun pm ls")).toBe("allow");
	writeFileSync(join(project, "bunfig.toml"), 'preload = ["./x.ts"]\n');
	expect(await outcome("bun pm ls")).toBe("ask");
});

test("go fetches the toolchain that a module names, and git the large files of a project's server", async () => {
	writeFileSync(join(project, "go.mod"), "module x\ngo 1.20\n");
	expect(await outcome("go version && git archive HEAD")).toBe("allow");
	writeFileSync(join(project, "go.mod"), "module x\ngo 1.20\ntoolchain go1.99.1\n");
	expect(await outcome("go version")).toBe("ask");
	writeFileSync(join(project, ".lfsconfig"), "[lfs]\nurl = http://127.0.0.1:9/\n");
	expect(await outcome("git archive HEAD")).toBe("ask");
	expect(await outcome("git status && git log archive")).toBe("ask");
	expect(await outcome("git status")).toBe("allow");
});

test("go doc fetches the modules of a project, and pip starts the compiler that it names", async () => {
	for (const [file, command] of [
		["go.mod", "go doc fmt.Println"],
		["rust-toolchain.toml", "pip list"],
		["rust-toolchain", "pip3 list --format=json"],
	] as const) {
		rmSync(join(project, "rust-toolchain.toml"), { force: true });
		expect([command, await outcome(command)]).toEqual([command, "allow"]);
		writeFileSync(join(project, file), "module x\ngo 1.16\n");
		expect([command, await outcome(command)]).toEqual([command, "ask"]);
	}
});

test("a program of shims is the one that a file of the project names", async () => {
	const shims = join(home, ".asdf/shims");
	mkdirSync(shims, { recursive: true });
	writeFileSync(join(shims, "node"), "#!/bin/sh\n", { mode: 0o755 });
	const ofShims = (): Promise<string> =>
		outcomeOf({ ...setup, searchPath: [shims, "/usr/bin"] }, bash("node --version"));
	writeFileSync(join(project, ".tool-versions"), "nodejs 20.1.0\n");
	expect(await ofShims()).toBe("allow");
	writeFileSync(join(project, ".tool-versions"), "nodejs path:./x\n");
	expect(await ofShims()).toBe("ask");
	expect(await outcome("node --version")).toBe("allow");
});

test("regression: a directory of PATH that cannot be looked at is passed by", async () => {
	// A name that no system takes fails as one does that the user may not enter, for root as well.
	const searchPath = [`/${"x".repeat(300)}`, "/usr/bin"];
	expect(await outcomeOf({ ...setup, searchPath }, bash("node --version"))).toBe("allow");
});
