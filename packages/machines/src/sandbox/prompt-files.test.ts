/** What runs at the prompt of the user's shell in the project, unasked, cannot be written or made by commands. */
import { expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { promptSettings } from "./runs-later.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";

for (const landlock of [false, true]) {
	const contained = needs(...(landlock ? neededForLandlock : neededPrograms));
	const kind = landlock ? "Landlock" : "bubblewrap";

	contained(`new settings of mise and asdf are set aside, with ${kind}`, async () => {
		await using box = await sandboxFixture({ landlock });
		await box.run(promptSettings.map((name) => `mkdir -p "$(dirname ${name})"; echo x > ${name}`).join("; "));
		expect(promptSettings.filter((name) => existsSync(join(box.cwd, name)))).toEqual([]);
		expect(
			box.sandbox
				.disarmed()
				.map(({ what }) => what)
				.join(),
		).toContain(".tool-versions");
	});

	contained(`what a .envrc reads cannot be changed or made, with ${kind}`, async () => {
		const envrc = [
			"source_env_if_exists .envrc.local",
			"dotenv",
			'source "$PWD/scripts/env.sh"; eval "$(./run.sh)"',
			"source_env_if_exists new/own.sh",
			"PATH_add node_modules/.bin",
			"watch_file package.json",
			"export OUT=./out.txt",
			"# see notes.txt",
		];
		const own = ["scripts/env.sh", "run.sh"];
		const free = ["package.json", "out.txt", "notes.txt"];
		await using box = await sandboxFixture({
			landlock,
			files: {
				"project/.envrc": `${envrc.join("\n")}\n`,
				...Object.fromEntries([...own, ...free].map((name) => [`project/${name}`, "mine\n"])),
			},
		});
		const made = [".envrc.local", ".env", ".env.local", "new/own.sh"];
		await box.run("mkdir -p new node_modules/.bin; echo x > node_modules/.bin/x");
		for (const name of [...own, ...free, ...made])
			await box.run(`echo new > ${name}; echo new > x; mv x ${name}`);
		expect(made.filter((name) => existsSync(join(box.cwd, name)))).toEqual([]);
		const text = (name: string): string => readFileSync(join(box.cwd, name), "utf8");
		expect(own.map(text)).toEqual(own.map(() => "mine\n"));
		expect(free.map(text)).toEqual(free.map(() => "new\n"));
		expect(existsSync(join(box.cwd, "node_modules/.bin/x"))).toBe(true);
	});

	contained(`regression: a .envrc and what it reads in any way stay as they are, with ${kind}`, async () => {
		const envrc = [
			"source_env sub",
			'source "my env/vars.sh"; . vars,dev.sh; . umgebüng.sh',
			". $(pwd)/one.sh",
			"export X=1; . ./two.sh",
			"export X=1 \\\n Y=2; . ./three.sh",
			"watch_file four.sh && source four.sh",
			"PATH_add bin; source_env five.sh",
			'LIB=lib; source "$LIB/six.sh"; for f in parts/*.sh; do . $f; done',
			"cd t && ./seven.sh",
			"[ ! -x t/eight ] || t/eight",
			"source_env_if_exists next; source_env_if_exists mine.d",
			"PATH_add bin",
			'export OUT="out.txt"',
		];
		const own = {
			"sub/.envrc": ". ./inner.sh",
			"sub/inner.sh": "",
			"my env/vars.sh": ". ./deep.sh; cat data.txt",
			"my env/deep.sh": "",
			...Object.fromEntries(
				["vars,dev", "umgebüng", "one", "two", "three", "four", "five", "lib/six", "parts/a", "t/seven"].map(
					(name) => [`${name}.sh`, ""],
				),
			),
			".local.sh": "",
		};
		const free = ["out.txt", "data.txt", "bin/x"];
		await using box = await sandboxFixture({
			landlock,
			files: {
				"home/.config/direnv/direnvrc": ". $PWD/.local.sh; other.txt",
				"project/.envrc": `${envrc.join("\n")}\n`,
				...Object.fromEntries(Object.entries(own).map(([name, text]) => [`project/${name}`, `${text}\n`])),
				...Object.fromEntries(free.map((name) => [`project/${name}`, "mine\n"])),
			},
		});
		const made = ["next/.envrc", "mine.d", "t/eight", "parts/b.sh", "new/.envrc"];
		for (const name of [".envrc", ...Object.keys(own), ...free, ...made])
			await box.run(`mkdir -p "$(dirname "${name}")"; echo new >> "${name}"; echo new > x; mv x "${name}"`);
		const text = (name: string): string => readFileSync(join(box.cwd, name), "utf8");
		expect(text(".envrc")).toBe(`${envrc.join("\n")}\n`);
		expect(Object.keys(own).map((name) => [name, text(name)])).toEqual(
			Object.entries(own).map(([name, content]) => [name, `${content}\n`]),
		);
		expect(free.map(text)).toEqual(free.map(() => "new\n"));
		expect(made.filter((name) => existsSync(join(box.cwd, name)))).toEqual([]);
	});

	contained(
		`regression: what settings of mise read or run cannot be changed or made, with ${kind}`,
		async () => {
			const settings = [
				'env_file = "top.env"',
				"[env]",
				'_.source = ["{{config_root}}/setup", "new/setup"]',
				'_.file = [{ path = "own.env", redact = true }, "new.env"]',
				'_.path = ["./bin", "node_modules/.bin"]',
				"X = \"{{ exec(command='./scripts/x.sh') }}\"",
				"[hooks]",
				'enter = "sh scripts/enter.sh --now"',
				'cd = "cd t && ./x.sh"',
				"[tasks.build]",
				'run = "scripts/build.sh"',
				'sources = ["main.c"]',
			];
			const own = ["top.env", "setup", "own.env", "scripts/x.sh", "scripts/enter.sh", "part.sh", "t/x.sh"];
			const free = ["scripts/build.sh", "main.c"];
			await using box = await sandboxFixture({
				landlock,
				files: {
					"project/mise.toml": `${settings.join("\n")}\n`,
					"project/.mise/conf.d/part.toml": '[env._]\nsource = "part.sh"\n',
					...Object.fromEntries([...own, ...free].map((name) => [`project/${name}`, "mine\n"])),
				},
			});
			const made = ["new/setup", "new.env"];
			await box.run("mkdir -p new bin; echo x > bin/x");
			for (const name of [...own, ...free, ...made])
				await box.run(`echo new > ${name}; echo new > x; mv x ${name}`);
			expect(made.filter((name) => existsSync(join(box.cwd, name)))).toEqual([]);
			const text = (name: string): string => readFileSync(join(box.cwd, name), "utf8");
			expect(own.map(text)).toEqual(own.map(() => "mine\n"));
			expect(free.map(text)).toEqual(free.map(() => "new\n"));
			expect(existsSync(join(box.cwd, "bin/x"))).toBe(true);
		},
	);
}

const contained = needs(...neededPrograms);

contained("regression: what nix-direnv, devenv and devbox read at the prompt stays as it is", async () => {
	const names = ["flake.lock", ".direnv/flake-profile-x.rc", "devenv.nix", "devbox.json"];
	await using box = await sandboxFixture({
		files: {
			"project/.envrc": 'use flake\nuse devenv\neval "$(devbox generate direnv --print-envrc)"\n',
			...Object.fromEntries(names.map((name) => [`project/${name}`, "mine\n"])),
		},
	});
	for (const name of names) await box.run(`echo evil > ${name}; echo evil > x; mv x ${name}`);
	await box.run("echo evil > .direnv/flake-profile-y.rc; echo evil > devbox.lock");
	expect(names.map((name) => readFileSync(join(box.cwd, name), "utf8"))).toEqual(names.map(() => "mine\n"));
	expect(
		[".direnv/flake-profile-y.rc", "devbox.lock"].filter((name) => existsSync(join(box.cwd, name))),
	).toEqual([]);
});

contained("regression: settings of the user that variables name stay as they are in a project", async () => {
	await using box = await sandboxFixture({
		named: (cwd) => [join(cwd, "config"), join(cwd, "etc/gitconfig"), join(cwd, "new/rc"), cwd],
		files: { "project/config/git/config": "mine\n", "project/etc/gitconfig": "mine\n" },
	});
	await box.run("echo evil > config/git/config; echo evil > etc/gitconfig; mkdir -p new; echo evil > new/rc");
	for (const name of ["config/git/config", "etc/gitconfig"])
		expect(readFileSync(join(box.cwd, name), "utf8")).toBe("mine\n");
	expect(existsSync(join(box.cwd, "new/rc"))).toBe(false);
	await box.run("echo x > own");
	expect(existsSync(join(box.cwd, "own"))).toBe(true);
});
