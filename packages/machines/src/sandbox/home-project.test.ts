/** A project that is the home directory: what a command makes there does not run when the user logs in. */
import { expect } from "bun:test";
import {
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	renameSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { findDenials } from "./denial.ts";
import { startupFiles } from "./runs-later.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";

const kinds = [
	{ kind: "bubblewrap", landlock: false, needed: neededPrograms },
	{ kind: "Landlock", landlock: true, needed: neededForLandlock },
];

/** Names that no list of ours has, and that programs read when they start. */
const unlisted = [
	".foorc",
	".npmrc",
	".bashrc.d/x",
	".ssh/authorized_keys",
	".config/starship.toml",
	".local/lib/python3.11/site-packages/x.pth",
	".local/share/bash-completion/completions/git",
	".local/share/fish/vendor_conf.d/x.fish",
	".cache/p10k-instant-prompt-user.zsh",
];

for (const { kind, landlock, needed } of kinds) {
	const contained = needs(...needed);

	contained(
		`regression: no command makes a hidden entry of a home project, with ${kind}`,
		async () => {
			await using box = await sandboxFixture({ isHome: true, landlock });
			for (const name of [...startupFiles, ...unlisted].filter((each) => each.startsWith("."))) {
				await box.run(`mkdir -p "$(dirname ${name})" && echo 'touch evil' > ${name}`);
				const made = readdirSync(box.cwd).filter((each) => each.startsWith("."));
				expect([name, made.filter((each) => !each.includes(".replaced-"))]).toEqual([name, []]);
				const reported = box.sandbox.disarmed().map(({ what }) => what);
				const entry = join(box.cwd, name.split("/", 1)[0] ?? "");
				if (!landlock) expect(reported.join("\n")).toContain(`${entry} was renamed`);
			}
		},
		60_000,
	);

	contained(
		`regression: no name that is not text hides an entry of a home project, with ${kind}`,
		async () => {
			// Of the user: what stands for the other name where that is read as text.
			await using box = await sandboxFixture({
				isHome: true,
				landlock,
				files: { "project/.foo\ufffdd/x": "mine\n" },
			});
			await box.run("d=$(printf '.foo\\377d'); mkdir $d && echo evil > $d/x");
			const names = readdirSync(box.cwd, { encoding: "buffer" }).map((name) => name.toString("latin1"));
			expect(names.filter((name) => name.includes("\xff"))).toEqual([]);
			expect(names.filter((name) => name.startsWith(".foo") && !name.includes(".replaced-"))).toEqual([
				Buffer.from(".foo\ufffdd").toString("latin1"),
			]);
			expect(readFileSync(join(box.cwd, ".foo\ufffdd/x"), "utf8")).toBe("mine\n");
		},
	);

	contained(`regression: hidden entries of a home project stay as they are, with ${kind}`, async () => {
		await using box = await sandboxFixture({
			isHome: true,
			landlock,
			files: Object.fromEntries(unlisted.map((name) => [`project/${name}`, "mine\n"])),
		});
		for (const name of unlisted)
			await box.run(
				`echo evil >> ${name}; echo evil > new; mv new ${name}; rm -f ${name}; echo x > ${name}.d`,
			);
		expect(unlisted.map((name) => readFileSync(join(box.cwd, name), "utf8"))).toEqual(
			unlisted.map(() => "mine\n"),
		);
		expect(unlisted.filter((name) => existsSync(join(box.cwd, `${name}.d`)))).toEqual([]);
	});

	contained(`a home project is writable but for its hidden entries, with ${kind}`, async () => {
		await using box = await sandboxFixture({
			isHome: true,
			landlock,
			writable: ["~/.cargo/registry", "~/.gradle"],
			files: { "project/src/a": "", "project/.cargo/registry/a": "", "project/.cargo/env": "mine\n" },
		});
		const { text } = await box.run(
			"cd src && mkdir -p x/.venv y/node_modules/.bin; echo 1 > x/.env; cd ..; echo 2 > .cargo/registry/b",
		);
		expect(text).toBe("");
		await box.run("echo evil > .cargo/env; mv .cargo moved; echo evil > .cargo/config.toml");
		const has = (name: string): boolean => existsSync(join(box.cwd, name));
		expect(["src/x/.env", "src/y/node_modules/.bin", ".cargo/registry/b"].filter(has).length).toBe(3);
		expect(readFileSync(join(box.cwd, ".cargo/env"), "utf8")).toBe("mine\n");
		expect(["moved", ".cargo/config.toml"].filter(has)).toEqual([]);
		// Landlock allows nothing new beside what there is.
		if (landlock) return;
		await box.run("mkdir -p .gradle/caches new; echo x > notes.txt");
		expect([".gradle/caches", "new", "notes.txt"].filter(has).length).toBe(3);
	});

	contained(`regression: what links in hidden entries lead to stays as it is, with ${kind}`, async () => {
		const names = ["starship.toml", "foorc", "unit.service"];
		await using box = await sandboxFixture({
			isHome: true,
			landlock,
			files: Object.fromEntries(names.map((name) => [`project/dotfiles/${name}`, "mine\n"])),
			prepare(cwd) {
				mkdirSync(join(cwd, ".config/systemd/user"), { recursive: true });
				mkdirSync(join(cwd, "src"));
				symlinkSync("../dotfiles/starship.toml", join(cwd, ".config/starship.toml"));
				symlinkSync("dotfiles/foorc", join(cwd, ".foorc"));
				symlinkSync("dotfiles/missing", join(cwd, ".barrc"));
				symlinkSync("../../../dotfiles/unit.service", join(cwd, ".config/systemd/user/x.service"));
				// The home directory as a whole is not protected by it.
				symlinkSync(".", join(cwd, ".here"));
			},
		});
		for (const name of names)
			await box.run(`cd dotfiles; echo evil >> ${name}; echo evil > x; mv x ${name}; cd ..`);
		await box.run("echo evil > dotfiles/missing; rm -f .foorc; ln -sf src .here; echo x > src/own");
		expect(names.map((name) => readFileSync(join(box.cwd, "dotfiles", name), "utf8"))).toEqual(
			names.map(() => "mine\n"),
		);
		expect(existsSync(join(box.cwd, "dotfiles/missing"))).toBe(false);
		expect(existsSync(join(box.cwd, "src/own"))).toBe(true);
		expect([".foorc", ".here", ".barrc"].map((name) => readlinkSync(join(box.cwd, name)))).toEqual([
			"dotfiles/foorc",
			".",
			"dotfiles/missing",
		]);
	});

	contained(`regression: directories of PATH in a home project stay as they are, with ${kind}`, async () => {
		await using box = await sandboxFixture({
			isHome: true,
			landlock,
			searchPath: (cwd) => [join(cwd, "go/bin"), join(cwd, "scripts/bin"), "/usr/bin"],
			files: { "project/go/bin/tool": "mine\n", "project/go/pkg/x": "", "project/scripts/x": "" },
		});
		await box.run("echo evil > go/bin/tool; echo evil > go/bin/ls; echo x > go/pkg/y");
		await box.run("mkdir -p scripts/bin; echo evil > scripts/bin/ls");
		expect(readFileSync(join(box.cwd, "go/bin/tool"), "utf8")).toBe("mine\n");
		const has = (name: string): boolean => existsSync(join(box.cwd, name));
		expect(["go/bin/ls", "scripts/bin/ls", "go/pkg/y"].filter(has)).toEqual(["go/pkg/y"]);
	});

	contained(
		`regression: links on the way to hidden entries and to PATH stay as they are, with ${kind}`,
		async () => {
			const links: Record<string, string> = {
				".foo.d": "src/dotfiles/foo.d",
				".config/bar": "../src/dotfiles/bar",
				"src/dotfiles": "real",
				"src/real/foo.d/x": "../../lib/x",
				"src/tools": "real/tools",
				"src/last": "real/tools/bin",
				"src/missing": "real/missing",
				"src/a/tools": "../real/tools",
			};
			await using box = await sandboxFixture({
				isHome: true,
				landlock,
				files: {
					"project/src/lib/x": "mine\n",
					"project/src/real/bar/x": "mine\n",
					"project/src/real/tools/bin/x": "mine\n",
				},
				searchPath: (cwd) =>
					["tools/bin", "last", "missing/bin", "a/tools/bin"].map((name) => join(cwd, "src", name)),
				prepare(cwd) {
					for (const [link, target] of Object.entries(links)) {
						mkdirSync(dirname(join(cwd, link)), { recursive: true });
						symlinkSync(target, join(cwd, link));
					}
				},
			});
			await box.run("cd src; echo evil > lib/x; mkdir -p real/missing/bin; cd ..");
			const replace = (name: string, below: string): string =>
				`rm ${name}; mkdir -p ${name}/${below}; echo evil > ${name}/${below}/x`;
			await box.run(
				`cd src; ${replace("dotfiles", "foo.d")}; ${replace("tools", "bin")}; ${replace("last", ".")}; ${replace("missing", "bin")}; cd ..`,
			);
			const isLink = (link: string): boolean => lstatSync(join(box.cwd, link)).isSymbolicLink();
			expect(Object.keys(links).filter((link) => !isLink(link))).toEqual([]);
			// The directory of a link.
			await box.run("cd src; mv a was; mkdir -p b/tools/bin; echo evil > b/tools/bin/x; ln -s b a; cd ..");
			const read = [".foo.d/x", ".config/bar/x", "src/tools/bin/x", "src/last/x", "src/missing/bin", "src/a"];
			const text = (name: string): string => readFileSync(join(box.cwd, name), "utf8");
			expect(read.map((name) => existsSync(join(box.cwd, name)) && text(name))).toEqual([
				...Array(4).fill("mine\n"),
				false,
				false,
			]);
			await box.run("echo x > src/real/own");
			expect(existsSync(join(box.cwd, "src/real/own"))).toBe(true);
		},
	);

	const withTools = needs(...needed, "git", "python3");
	withTools(
		`regression: tools of the user run nothing that a command makes, with ${kind}`,
		async () => {
			await using box = await sandboxFixture({
				isHome: true,
				landlock,
				files: {
					"project/src/x": "",
					"project/.bashrc": "",
					"project/.config/x": "",
					"project/.local/x": "",
				},
			});
			const marker = join(box.cwd, "src/marker");
			const version = Bun.spawnSync(["python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]);
			const sites = `.local/lib/python${version.stdout.toString().trim()}/site-packages`;
			const touch = `touch ${marker}`;
			const planted: Record<string, string> = {
				...Object.fromEntries(
					[".bash_profile", ".bashrc", ".profile", ".zshenv", ".zshrc", ".config/fish/conf.d/x.fish"].map(
						(name) => [name, touch],
					),
				),
				".local/share/fish/vendor_conf.d/x.fish": touch,
				".local/share/bash-completion/completions/git": touch,
				[`${sites}/x.pth`]: `import os; os.system('${touch}')`,
				[`${sites}/usercustomize.py`]: `import os; os.system('${touch}')`,
				".gitconfig": `[core]\n\tfsmonitor = ${touch}\n`,
				".config/git/config": `[core]\n\tfsmonitor = ${touch}\n`,
				".vimrc": `call system('${touch}')`,
				".vim/plugin/x.vim": `call system('${touch}')`,
				".tmux.conf": `run-shell '${touch}'`,
				".config/direnv/direnvrc": touch,
				".config/starship.toml": `[custom.x]\ncommand = "${touch}"\nwhen = true\n`,
			};
			for (const [name, text] of Object.entries(planted)) {
				const file = `file-${Object.keys(planted).indexOf(name)}`;
				writeFileSync(join(box.cwd, "src", file), text);
				await box.run(`mkdir -p "$(dirname ${name})"; cp src/${file} ${name}`);
			}
			const runs = [
				"bash -lc :",
				"bash -ic :",
				"zsh -ic :",
				"fish -c :",
				"python3 -c 1",
				"git -C src/r status",
			];
			const more = ["vim -es -u $HOME/.vimrc -c q", "vim -c q", "tmux -L tau-test new-session -d true"];
			more.push("cd src && direnv allow . && direnv exec . true");
			writeFileSync(join(box.cwd, "src/.envrc"), ":\n");
			Bun.spawnSync(["git", "init", "-q", join(box.cwd, "src/r")]);
			const env = { PATH: process.env.PATH ?? "", HOME: box.cwd, TERM: "dumb" };
			for (const command of [...runs, ...more]) {
				Bun.spawnSync(["sh", "-c", command], { env, cwd: box.cwd, timeout: 20_000 });
				expect([command, existsSync(marker)]).toEqual([command, false]);
			}
			// It would be made: the tools do read these files.
			writeFileSync(join(box.cwd, ".bashrc"), touch);
			Bun.spawnSync(["bash", "-ic", ":"], { env, cwd: box.cwd });
			expect(existsSync(marker)).toBe(true);
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

const contained = needs(...neededPrograms);

contained("regression: a hidden entry of a home project is set aside while the command runs", async () => {
	await using box = await sandboxFixture({ isHome: true });
	const ended = box.run("echo evil > .foorc; until [ -e done ]; do sleep 0.02; done");
	const kept = (): string[] => readdirSync(box.cwd).filter((name) => name.startsWith(".foorc.replaced-"));
	while (kept().length === 0) await Bun.sleep(5);
	expect(existsSync(join(box.cwd, ".foorc"))).toBe(false);
	writeFileSync(join(box.cwd, "done"), "");
	await ended;
});

contained("hidden entries that the user makes between commands stay", async () => {
	await using box = await sandboxFixture({ isHome: true });
	await box.run("true");
	writeFileSync(join(box.cwd, ".foorc"), "mine\n");
	await box.run("echo x > .barrc; chmod 111 .");
	expect(readFileSync(join(box.cwd, ".foorc"), "utf8")).toBe("mine\n");
	expect(existsSync(join(box.cwd, ".barrc"))).toBe(false);
});

contained("what editors and shells of the user write beside their files stays", async () => {
	await using box = await sandboxFixture({ isHome: true, files: { "project/.z": "one\n" } });
	const names = [".notes.txt.swp", ".#notes.txt", ".~lock.table.ods#", ".bash_history", ".wget-hsts"];
	const ended = box.run("touch ready; until [ -e done ]; do sleep 0.02; done");
	while (!existsSync(join(box.cwd, "ready"))) await Bun.sleep(5);
	for (const name of names) writeFileSync(join(box.cwd, name), "");
	writeFileSync(join(box.cwd, "new"), "two\n");
	renameSync(join(box.cwd, "new"), join(box.cwd, ".z"));
	writeFileSync(join(box.cwd, "done"), "");
	await ended;
	expect(names.filter((name) => !existsSync(join(box.cwd, name)))).toEqual([]);
	expect(readFileSync(join(box.cwd, ".z"), "utf8")).toBe("two\n");
	expect(box.sandbox.disarmed()).toEqual([]);
});

contained("a refusal in a home project names the path and the setting that allows it", async () => {
	await using box = await sandboxFixture({ isHome: true, files: { "project/.npm/x": "" } });
	const { text } = await box.run("echo x > .npm/y; echo x > .bashrc");
	const denials = findDenials({ output: text, cwd: box.cwd, refused: [] }, box.sandbox.profile);
	const allow = { setting: "sandbox.writable", values: [join(box.cwd, ".npm")] };
	expect(denials).toMatchObject([{ subject: join(box.cwd, ".npm"), allow }]);
	// What shells start is not offered.
	expect(box.sandbox.disarmed().map((denial) => denial.allow)).toEqual([undefined]);
});
