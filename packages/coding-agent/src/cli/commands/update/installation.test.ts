import { expect, test } from "bun:test";

import { installationOf } from "./installation.ts";

const built = { isExecutable: true, key: "PEM", platform: "linux-x64" };

test.each([
	["/usr/lib/node_modules/tau/node_modules/@tau/tau-linux-x64/bin/tau", "npm install --global tau@latest"],
	["/opt/homebrew/Cellar/tau/0.2.0/bin/tau", "brew upgrade tau"],
])("%s is updated by the program that installed it", (execPath, command) => {
	expect(installationOf({ ...built, execPath })).toMatchObject({ kind: "managed", command });
});

test("a released executable is replaced", () => {
	expect(installationOf({ ...built, execPath: "/home/me/.local/bin/tau" })).toEqual({
		kind: "standalone",
		path: "/home/me/.local/bin/tau",
		platform: "linux-x64",
		key: "PEM",
	});
});

test("sources and builds without a release key are left to Git", () => {
	const managed = { kind: "managed", command: "git pull" };
	expect(installationOf({ ...built, execPath: "/usr/bin/bun", isExecutable: false })).toMatchObject(managed);
	expect(installationOf({ ...built, execPath: "/home/me/tau", key: undefined })).toMatchObject(managed);
});
