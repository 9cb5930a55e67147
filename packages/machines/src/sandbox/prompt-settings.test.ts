/** What the prompt of the user's shell reads in directories below the project names no program that a command has made. */
import { expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { limits } from "./limits.ts";
import { PromptSettings } from "./prompt-settings.ts";
import {
	neededForLandlock,
	neededPrograms,
	sandboxFixture,
	type SandboxFixture,
} from "./testing/sandbox-fixture.ts";

const text = ({ cwd }: SandboxFixture, name: string): string => readFileSync(join(cwd, name), "utf8");
const there = ({ cwd }: SandboxFixture, names: readonly string[]): readonly string[] =>
	names.filter((name) => existsSync(join(cwd, name)));
const said = ({ sandbox }: SandboxFixture): string =>
	sandbox
		.disarmed()
		.map(({ what }) => what)
		.join("\n");

function write(cwd: string, files: Readonly<Record<string, string>>): void {
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(dirname(join(cwd, name)), { recursive: true });
		writeFileSync(join(cwd, name), content);
	}
}

for (const landlock of [false, true]) {
	const contained = needs(...(landlock ? neededForLandlock : neededPrograms));
	const kind = landlock ? "Landlock" : "bubblewrap";

	contained(
		`regression: settings that name a program are set aside in each directory, with ${kind}`,
		async () => {
			await using box = await sandboxFixture({
				landlock,
				prepare: (cwd) => write(cwd, { "src/main.c": "" }),
			});
			const odd = {
				"src/.tool-versions": "node path:$PWD/evil",
				"src/.node-version": "path:$PWD/evil",
				".python-version": "path:$PWD/evil",
				".tool-versions": "node path:$PWD/evil",
				"src/a/b/.nvmrc": "path:$PWD/evil",
				"src/mise.toml": "[env]",
				"src/.config/mise/conf.d/x.toml": "[hooks]",
				"src/.shadowenv.d/x.lisp": "x",
				"src/rust-toolchain.toml": "toolchain.path = 'evil'",
				"src/package.json": '{"packageManager": "pnpm@path:/evil"}',
				"src/.exrc": "call system('evil')",
			};
			const plain = {
				".tool-versions": "nodejs 20.11.1\n",
				"src/.tool-versions": "nodejs 20.11.1\n",
				"src/.nvmrc": "lts/iron\n",
				"src/mise.toml": '[tools]\nnode = "20"\n',
				"src/package.json": '{"packageManager": "pnpm@9.1.0"}\n',
				"src/.envrc": "export A=1\n",
			};
			const make = Object.entries(odd).map(
				([name, content]) => `mkdir -p "$(dirname ${name})"; cat > ${name} <<EOF\n${content}\nEOF\n`,
			);
			await box.run(
				`${make.join("")}ln -s ../evil src/.mise; mkdir -p evil; echo '[env]' > evil/config.toml`,
			);
			expect(there(box, [...Object.keys(odd), "src/.mise"])).toEqual([]);
			expect(said(box)).toContain("src/.tool-versions was renamed to .tool-versions.replaced-");
			for (const [name, content] of Object.entries(plain))
				await box.run(`printf '%s' '${content}' > ${name}`);
			expect(Object.keys(plain).map((name) => text(box, name))).toEqual(Object.values(plain));
			expect(said(box)).toBe("");
			// What a command has left is no licence for the next one.
			await box.run(make.join(""));
			expect(
				there(
					box,
					Object.keys(odd).filter((name) => !(name in plain)),
				),
			).toEqual([]);
			expect(Object.keys(plain).map((name) => text(box, name))).toEqual(Object.values(plain));
		},
	);

	contained(`regression: the user's settings in each directory are put back, with ${kind}`, async () => {
		const own = {
			"src/mise.toml": '[env]\n_.source = ["env.sh", "new.sh"]\n',
			"src/env.sh": "true\n",
			"src/.tool-versions": "node path:../vendor/node\n",
			"conf/versions": "node path:vendor/node\n",
			"below/.config/mise/config.toml": '[hooks]\nenter = "sh enter.sh"\n',
			"below/enter.sh": "true\n",
			"direnv/.envrc": "source_env extra.sh; . ../shared.sh; for f in lib/*.sh; do . $f; done\n",
			"direnv/extra.sh": "true\n",
			"direnv/lib/a.sh": "true\n",
			"shared.sh": ". ./deep.sh\n",
			"deep.sh": "true\n",
			"below/mise.toml": '[env]\n_.source = "../env.sh"\n',
			"env.sh": "true\n",
			"src/.exrc": "set nu\n",
		};
		await using box = await sandboxFixture({
			landlock,
			prepare(cwd) {
				write(cwd, { ...own, "free/.node-version": "20\n" });
				mkdirSync(join(cwd, "link"));
				symlinkSync("../conf/versions", join(cwd, "link/.tool-versions"));
			},
		});
		for (const how of [
			"echo evil >> $name",
			"rm $name; echo evil > $name",
			"rm $name; ln -s ../evil $name",
		]) {
			await box.run(
				`echo evil > evil; for name in ${Object.keys(own).join(" ")}; do ${how}; done; echo evil > src/new.sh; echo evil > direnv/lib/b.sh; ln -sfn ../evil link/.tool-versions`,
			);
			expect(Object.keys(own).map((name) => text(box, name))).toEqual(Object.values(own));
			expect(there(box, ["src/new.sh", "direnv/lib/b.sh"])).toEqual([]);
			expect(readlinkSync(join(box.cwd, "link/.tool-versions"))).toBe("../conf/versions");
		}
		expect(said(box)).toContain("src/mise.toml was put back");
		await box.run("echo 22 > free/.node-version; rm src/mise.toml");
		expect(text(box, "free/.node-version")).toBe("22\n");
		expect(existsSync(join(box.cwd, "src/mise.toml"))).toBe(false);
	});

	contained(
		`regression: what mise reads in each directory as env_file cannot be made or changed, with ${kind}`,
		async () => {
			const own = { ".env": "A=mine\n", "src/.env": "A=mine\n", "src/part.vars": "A=mine\n" };
			await using box = await sandboxFixture({
				landlock,
				// A variable of mise.
				envFile: "conf/part.vars",
				files: {
					"home/.config/mise/conf.d/x.toml": '[settings]\nenv_file = ".env"\n',
					"mise.toml": '[settings]\nenv_file = "above.env"\n[env]\n_.file = "project/named.env"\n',
				},
				prepare: (cwd) => write(cwd, { ...own, "mise.toml": "settings.env_file = 'root.env'\n" }),
			});
			for (const name of Object.keys(own)) await box.run(`echo evil > ${name}; echo evil > x; mv x ${name}`);
			expect(Object.keys(own).map((name) => text(box, name))).toEqual(Object.values(own));
			const made = ["a/.env", "src/b/part.vars", "root.env", "a/root.env", "above.env", "named.env"];
			for (const name of made) await box.run(`mkdir -p $(dirname ${name}); echo evil > ${name}`);
			expect(there(box, made)).toEqual([]);
			await box.run("echo x > other.env; echo x > src/.env.example");
			expect(there(box, ["other.env", "src/.env.example"])).toHaveLength(2);
		},
	);

	contained(
		`regression: what settings of mise name later is protected from the next command on, with ${kind}`,
		async () => {
			await using box = await sandboxFixture({
				landlock,
				prepare: (cwd) =>
					write(cwd, {
						"mise.toml": "[env]\n",
						"vars.sh": "",
						"a/mise.toml": "[env]\n",
						"a/vars.sh": "mine",
					}),
			});
			await box.run("true");
			expect(box.sandbox.isOutdated).toBe(false);
			writeFileSync(join(box.cwd, "a/mise.toml"), '[env]\n_.source = "vars.sh"\n');
			await box.run("echo evil > a/vars.sh");
			expect(text(box, "a/vars.sh")).toBe("mine");
			writeFileSync(join(box.cwd, "mise.toml"), '[env]\n_.source = "vars.sh"\n');
			expect(box.sandbox.isOutdated).toBe(true);
		},
	);

	contained(`regression: a .envrc above the project names what stays as it is, with ${kind}`, async () => {
		await using box = await sandboxFixture({
			landlock,
			files: { ".envrc": "source project/vars.sh\ndotenv project/own.env\n", "project/vars.sh": "mine\n" },
		});
		await box.run("echo evil > vars.sh; echo evil > x; mv x vars.sh; echo evil > own.env");
		expect(text(box, "vars.sh")).toBe("mine\n");
		expect(there(box, ["own.env"])).toEqual([]);
	});

	contained(
		`regression: a closed directory keeps no file of the user from being put back, with ${kind}`,
		async () => {
			await using box = await sandboxFixture({
				landlock,
				prepare: (cwd) => write(cwd, { "src/mise.toml": "mine" }),
			});
			await box.run("echo evil > src/mise.toml; chmod 555 src");
			expect(text(box, "src/mise.toml")).toBe("mine");
		},
	);

	contained(
		`regression: where direnv asks nobody, no command makes or changes a .envrc, with ${kind}`,
		async () => {
			await using box = await sandboxFixture({
				landlock,
				prepare(cwd) {
					const home = join(dirname(cwd), "home");
					const settings = `[global]\nload_dotenv = true\n[whitelist]\nprefix = ["${cwd}/in"]\nexact = ["${cwd}/one/.envrc"]\n`;
					write(home, { ".config/direnv/direnv.toml": settings });
					write(cwd, { "inside/.envrc": "mine\n", "inside/src/main.c": "", "one/sub/x": "", "out/x": "" });
				},
			});
			const odd = ["inside/src/.envrc", "inside/src/.env", "one/.envrc"];
			await box.run(`for name in ${odd.join(" ")} out/.envrc one/sub/.envrc; do echo evil > $name; done`);
			expect(there(box, odd)).toEqual([]);
			expect(there(box, ["out/.envrc", "one/sub/.envrc"])).toHaveLength(2);
			await box.run("echo evil > inside/.envrc");
			expect(text(box, "inside/.envrc")).toBe("mine\n");
			expect(said(box)).toContain("inside/.envrc was put back");
		},
	);
}

const contained = needs(...neededPrograms);

contained(
	"regression: a new .envrc that one of the user may read without a question is set aside",
	async () => {
		await using box = await sandboxFixture({
			prepare: (cwd) =>
				write(cwd, { "a/b/.envrc": "source_up\n", "c/.envrc": "source_env ../d\n", "d/x": "" }),
		});
		const odd = [".envrc", "a/.envrc", "a/b/c/.envrc", "d/.envrc"];
		await box.run(`mkdir -p a/b/c e; for name in ${odd.join(" ")} e/.envrc; do echo evil > $name; done`);
		expect(there(box, [...odd, "e/.envrc"])).toEqual(["e/.envrc"]);
		expect(said(box)).toContain("a/.envrc was renamed to .envrc.replaced-");
	},
);

contained("regression: a .envrc that a command has made is the user's from the next command on", async () => {
	await using box = await sandboxFixture({ prepare: (cwd) => write(cwd, { "src/a/x": "" }) });
	await box.run("echo 'source new.sh' > src/.envrc; echo true > src/.envrc.local");
	expect(there(box, ["src/.envrc", "src/.envrc.local"])).toHaveLength(2);
	await box.run(
		"echo evil >> src/.envrc; echo evil > src/new.sh; echo source_up > src/x/.envrc; echo evil > .envrc",
	);
	expect(text(box, "src/.envrc")).toBe("source new.sh\n");
	expect(there(box, ["src/new.sh", "src/a/.envrc", ".envrc"])).toEqual([]);
});

contained("regression: the user's settings in thousands of directories stay", async () => {
	const names = Array.from({ length: 4_300 }, (_, index) => `d${index}/mise.toml`);
	const own = Object.fromEntries(names.map((name) => [name, "[env]\n"]));
	await using box = await sandboxFixture({ inMemory: true, prepare: (cwd) => write(cwd, own) });
	await box.run("echo evil > d0/.exrc; echo evil > d4200/.exrc");
	const most = Date.now() + 10_000;
	while (there(box, ["d0/.exrc", "d4200/.exrc"]).length > 0 && Date.now() < most) await Bun.sleep(10);
	expect(there(box, ["d0/.exrc", "d4200/.exrc"])).toEqual([]);
	expect(there(box, names)).toHaveLength(names.length);
});

contained("the user's settings are put back while a command still runs", async () => {
	await using box = await sandboxFixture({ prepare: (cwd) => write(cwd, { "src/mise.toml": "mine\n" }) });
	const now = '"$(cat src/mise.toml)"';
	await box.run(`echo evil > src/mise.toml; until [ ${now} = mine ]; do sleep 0.05; done; : > back`);
	expect(existsSync(join(box.cwd, "back"))).toBe(true);
});

contained(
	"regression: what a command has hidden in a directory that is not looked into is found when it is moved",
	async () => {
		await using box = await sandboxFixture({
			prepare: (cwd) => write(cwd, { ".gitignore": "node_modules\n" }),
		});
		await box.run("mkdir -p node_modules/x; echo '[env]' > node_modules/x/mise.toml");
		expect(there(box, ["node_modules/x/mise.toml"])).toHaveLength(1);
		await box.run("mv node_modules/x moved");
		expect(there(box, ["moved", "moved/mise.toml"])).toEqual(["moved"]);
	},
);

test("regression: a command changes nothing that new settings of the user name", () => {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "tau-prompts-")));
	const changedMs = (name: string): number => statSync(join(root, name)).ctimeMs;
	try {
		let now = Date.now() - 1000;
		const prompts = new PromptSettings(
			[],
			[root],
			() => true,
			{ home: "/nonexistent", writable: [root], direnvScripts: [] },
			() => now,
		);
		const settings = "[env]\n_.source = ['env.sh', 'own.sh']\n";
		write(root, { "a/env.sh": "mine", "a/own.sh": "mine", "a/mise.toml": settings });
		now = changedMs("a/mise.toml") + limits.coarsestTickMs + 5;
		prompts.commandStarts();
		const most = Date.now() + 5000;
		do write(root, { "a/env.sh": "evil" });
		while (changedMs("a/env.sh") < changedMs("a/mise.toml") + 10 && Date.now() < most);
		now += 1000;
		const found = { promptFiles: new Set([join(root, "a/mise.toml")]), latePromptFiles: new Set<string>() };
		expect(prompts.disarm(found)).toHaveLength(1);
		expect(readFileSync(join(root, "a/own.sh"), "utf8")).toBe("mine");
		expect(existsSync(join(root, "a/env.sh"))).toBe(false);
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
});

test("what the user makes or changes between two commands stays", () => {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "tau-prompts-")));
	try {
		write(root, { "src/mise.toml": "[env]\nA = '1'\n" });
		const files = new Set(["src/mise.toml", "new/mise.toml"].map((name) => join(root, name)));
		const found = { promptFiles: files, latePromptFiles: new Set<string>() };
		let aheadMs = -1000;
		const prompts = new PromptSettings(
			[...files].slice(0, 1),
			[root],
			() => true,
			{ home: "/nonexistent", writable: [root], direnvScripts: [] },
			() => Date.now() + aheadMs,
		);
		const changed = { "src/mise.toml": "[env]\nA = '2'\n", "new/mise.toml": "[env]\nB = '1'\n" };
		write(root, changed);
		aheadMs = 1000;
		prompts.commandStarts();
		expect(prompts.disarm(found)).toEqual([]);
		aheadMs = 0;
		// At once after the user's last change.
		write(root, { "src/mise.toml": "[env]\nA = '3'\n" });
		changed["src/mise.toml"] = "[env]\nA = '3'\n";
		prompts.commandStarts();
		write(root, { "src/mise.toml": "[env]\nA = 'evil'\n" });
		expect(prompts.disarm(found)).toHaveLength(1);
		for (const [name, content] of Object.entries(changed))
			expect(readFileSync(join(root, name), "utf8")).toBe(content);
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
});
