/** install.sh says why an executable does not start, before anything is installed. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect } from "bun:test";

import { root } from "../support/launch.ts";
import { needs } from "../support/needs.ts";

const base = mkdtempSync(join(tmpdir(), "tau-installer-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const platforms = [
	"linux-x64",
	"linux-arm64",
	"linux-x64-musl",
	"linux-arm64-musl",
	"darwin-x64",
	"darwin-arm64",
];

/** A release in a directory, whose executable is this script. */
function release(name: string, script: string): string {
	const directory = join(base, name);
	mkdirSync(directory);
	writeFileSync(join(directory, "tau"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	const sums = platforms.map((platform) => {
		const file = `tau-1.0.0-${platform}.tar.gz`;
		expect(Bun.spawnSync(["tar", "czf", file, "tau"], { cwd: directory }).success).toBe(true);
		const hash = new Bun.CryptoHasher("sha256").update(readFileSync(join(directory, file))).digest("hex");
		return `${hash}  ${file}\n`;
	});
	writeFileSync(join(directory, "SHA256SUMS"), sums.join(""));
	return directory;
}

const missing =
	"echo 'Error loading shared library libstdc++.so.6: No such file or directory (needed by tau)' >&2; exit 127";
const cases: [what: string, script: string, expected: string][] = [
	["misses the libraries of C++", missing, "on Alpine: apk add libstdc++ libgcc); nothing was installed"],
	["fails otherwise", "echo broken >&2; exit 1", "does not run on this machine; nothing was installed"],
];

describe("an executable that", () => {
	for (const [index, [what, script, expected]] of cases.entries())
		needs("curl", "tar")(what, async () => {
			const target = join(base, `bin-${index}`);
			const child = Bun.spawn(["sh", join(root, "scripts/release/install.sh")], {
				env: {
					PATH: process.env.PATH,
					HOME: base,
					TAU_INSTALL_DIR: target,
					TAU_RELEASES_URL: `file://${release(`release-${index}`, script)}`,
				},
				stdout: "ignore",
				stderr: "pipe",
			});
			const [err, code] = await Promise.all([child.stderr.text(), child.exited]);
			expect(code).toBe(1);
			expect(err).toContain(expected);
			expect(existsSync(target)).toBe(false);
		});
});
