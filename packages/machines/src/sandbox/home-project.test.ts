/** A project that is the home directory: what a command makes there does not run when the user logs in. */
import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { startupFiles } from "./runs-later.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";

const kinds = [
	{ kind: "bubblewrap", landlock: false, needed: neededPrograms },
	{ kind: "Landlock", landlock: true, needed: neededForLandlock },
];

for (const { kind, landlock, needed } of kinds) {
	const contained = needs(...needed);

	contained(
		`new start-up files of a home project are set aside and reported, with ${kind}`,
		async () => {
			await using box = await sandboxFixture({ isHome: true, landlock });
			for (const name of startupFiles) {
				const { text } = await box.run(`mkdir -p "$(dirname ${name})" && echo 'touch evil' > ${name}`);
				expect([name, text]).toEqual([name, ""]);
				expect([name, existsSync(join(box.cwd, name))]).toEqual([name, false]);
				const reported = box.sandbox.disarmed().map(({ what }) => what);
				expect([name, reported.join("\n")]).toEqual([name, expect.stringContaining(join(box.cwd, name))]);
			}
		},
		60_000,
	);

	contained(
		`regression: what shells, editors and tools run in a home stays as it is, with ${kind}`,
		async () => {
			const names = [".cargo/env", ".vim/vimrc", ".hgrc", ".config/hg/hgrc", ".config/mise/config.toml"];
			const more = [".local/share/direnv/allow/x", ".selected_editor", ".config/user-dirs.dirs"];
			const all = [...names, ...more];
			await using box = await sandboxFixture({
				isHome: true,
				landlock,
				files: Object.fromEntries(all.map((name) => [`project/${name}`, "mine\n"])),
			});
			await box.run(all.map((name) => `echo evil >> ${name}; rm -f ${name}; echo evil > ${name}`).join("; "));
			expect(all.map((name) => readFileSync(join(box.cwd, name), "utf8"))).toEqual(all.map(() => "mine\n"));
		},
	);

	contained(`regression: tokens of more cloud programs are hidden, with ${kind}`, async () => {
		const names = [".condarc", ".tsh/x", ".cloudflared/x", ".config/linode-cli/x", ".config/vercel/x"];
		await using box = await sandboxFixture({
			landlock,
			files: Object.fromEntries(names.map((name) => [`home/${name}`, "SECRET\n"])),
		});
		const { text } = await box.run(`cd ${box.home}; cat ${names.join(" ")}`);
		expect(text).not.toContain("SECRET");
	});

	contained(
		`new directories of start-up files are set aside with what is in them, with ${kind}`,
		async () => {
			await using box = await sandboxFixture({ isHome: true, landlock });
			const made = [
				".config/autostart/x.desktop",
				".config/fish/config.fish",
				".config/systemd/user/x.service",
			];
			await box.run(made.map((name) => `mkdir -p $(dirname ${name}); echo x > ${name}`).join("; "));
			expect(made.filter((name) => existsSync(join(box.cwd, name)))).toEqual([]);
			await box.run(
				"mkdir elsewhere; echo evil > elsewhere/autostart; rm -rf .config; ln -s elsewhere .config",
			);
			expect(existsSync(join(box.cwd, ".config/autostart"))).toBe(false);
		},
	);

	contained(`start-up files that the user has stay as they are, with ${kind}`, async () => {
		await using box = await sandboxFixture({
			isHome: true,
			landlock,
			prepare(cwd) {
				mkdirSync(join(cwd, ".config"));
				writeFileSync(join(cwd, ".bashrc"), "mine\n");
			},
		});
		await box.run("echo evil >> .bashrc; echo evil > new; mv new .bashrc; rm -f .bashrc");
		expect(readFileSync(join(box.cwd, ".bashrc"), "utf8")).toBe("mine\n");
	});
}
