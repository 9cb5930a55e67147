/** Without bubblewrap, commands run in Landlock: the same shell for its user, with less around it. */
import {
	existsSync,
	mkdirSync,
	readFileSync,
	readlinkSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "bun:test";

import { isFullDepth, samples } from "../../../../../test/support/depth.ts";
import { needs } from "../../../../../test/support/needs.ts";
import { listProcesses, PtySession, runShell } from "@tau/sys";
import {
	neededForLandlock,
	sandboxFixture,
	type FixtureOptions,
	type SandboxFixture,
} from "../testing/sandbox-fixture.ts";

const confined = needs(...neededForLandlock);

function landlock(options: FixtureOptions = {}): Promise<SandboxFixture> {
	return sandboxFixture({ landlock: true, ...options });
}

confined("the shell keeps its directory, variables and functions", async () => {
	await using box = await landlock();
	const { outcome: first } = await box.run(
		"mkdir sub && cd sub; A=1; export B=2; f() { echo function; }; P=$$",
	);
	expect(first.exitCode).toBe(0);
	const { text, outcome } = await box.run('pwd; echo $A $B; f; [ "$P" = $$ ] && echo same');
	expect(text).toBe(`${box.cwd}/sub\n1 2\nfunction\nsame\n`);
	expect(outcome).toMatchObject({ exitCode: 0, cwd: `${box.cwd}/sub` });
	await box.run("exit 3");
	expect((await box.run("echo $A")).text).toBe("1\n");
});

confined("the project and TMPDIR are writable, and nothing else", async () => {
	await using box = await landlock();
	const others = [`${box.home}/file`, "/etc/file", "/tmp/tau-landlock-file", "/dev/shm/tau-landlock-file"];
	const { text } = await box.run(
		`echo new > file; echo x > $TMPDIR/own && echo temporary; ${others.map((path) => `echo x > ${path}`).join("; ")}`,
	);
	expect(readFileSync(join(box.cwd, "file"), "utf8")).toBe("new\n");
	expect(text).toContain("temporary\n");
	expect(text.match(/Permission denied/g)).toHaveLength(others.length);
	expect(others.filter(existsSync)).toEqual([]);
});

confined("children inherit it, also those that leave their session and environment", async () => {
	await using box = await landlock({ files: { "home/.ssh/id": "secret" } });
	const { text } = await box.run(
		`setsid -w env -i /bin/sh -c 'cat ${box.home}/.ssh/id; echo x > ${box.home}/new; grep -c 2 /proc/self/status >/dev/null && echo ran'`,
	);
	expect(text).not.toContain("secret");
	expect(text).toContain("ran");
	expect(existsSync(join(box.home, "new"))).toBe(false);
});

confined("what lies beside a secret is readable, and a link does not lead to the secret", async () => {
	const files = { "home/.ssh/id": "secret", "home/notes": "notes", "home/.config/gh/hosts": "secret" };
	await using box = await landlock({
		files: { ...files, "home/.config/tool/settings": "settings" },
		prepare: (cwd) => void Bun.spawnSync(["ln", "-s", "../home/.ssh", join(cwd, "../home/keys")]),
	});
	const at = box.home;
	const { text } = await box.run(
		`cat ${at}/notes ${at}/.config/tool/settings ${at}/keys/id ${at}/.config/gh/hosts`,
	);
	expect(text).toContain("notessettings");
	expect(text).not.toContain("secret");
});

confined("a secret inside of what is writable refuses all commands, with the reason", async () => {
	await using box = await landlock({ files: { "project/keys/id": "secret" }, hidden: ["../project/keys"] });
	await expect(box.run("cat keys/id")).rejects.toThrow(/Landlock cannot hide .*keys.*Install bubblewrap/);
});

confined("files of the sandbox that commands could replace refuse all commands", async () => {
	await using box = await landlock();
	const temporary = process.env.TMPDIR;
	process.env.TMPDIR = box.cwd;
	try {
		await expect(box.run("true")).rejects.toThrow(/Set TMPDIR to one outside/);
	} finally {
		if (temporary === undefined) delete process.env.TMPDIR;
		else process.env.TMPDIR = temporary;
	}
});

confined("a link in the place of something protected shows nothing that is hidden", async () => {
	await using box = await landlock({
		files: { "home/.ssh/id": "secret" },
		prepare: (cwd) => symlinkSync(join(cwd, "../home/.ssh/id"), join(cwd, ".mcp.json")),
	});
	expect((await box.run("cat .mcp.json ~/.ssh/id; echo ran")).text).not.toContain("secret");
});

confined("for planning, nothing but TMPDIR is writable, and a secret in the project is hidden", async () => {
	await using box = await landlock({
		files: { "project/keys/id": "secret", "project/file": "text" },
		hidden: ["../project/keys"],
		isReadOnly: true,
	});
	const { text } = await box.run("cat file keys/id; echo x > file; echo x > $TMPDIR/x && echo temporary");
	expect(text).not.toContain("secret");
	expect(text).toContain("temporary");
	expect(readFileSync(join(box.cwd, "file"), "utf8")).toBe("text");
});

needs(...neededForLandlock, "git")(
	"git works, and its hooks and settings are put back, with a report",
	async () => {
		await using box = await landlock({
			prepare: (cwd) => void Bun.spawnSync(["git", "init", "-q"], { cwd }),
		});
		const config = readFileSync(join(box.cwd, ".git/config"), "utf8");
		const sample = join(box.cwd, ".git/hooks/pre-commit.sample");
		const { mode } = statSync(sample);
		await box.run(
			"echo evil > .git/hooks/post-commit; rm .git/hooks/pre-commit.sample; git config core.fsmonitor ./evil",
		);
		expect(existsSync(join(box.cwd, ".git/hooks/post-commit"))).toBe(false);
		expect(statSync(sample).mode).toBe(mode);
		expect(readFileSync(join(box.cwd, ".git/config"), "utf8")).toBe(config);
		const reports = box.sandbox.disarmed().map(({ what }) => what);
		expect(reports).toHaveLength(2);
		expect(reports.join()).toContain(".git/hooks was put back");
		const { text } = await box.run(
			"echo x > x; git add x; git -c user.name=a -c user.email=b commit -qm done; git log --format=%s",
		);
		expect(text).toBe("done\n");
		expect(box.sandbox.disarmed()).toEqual([]);
	},
);

/** How a command keeps its change of `$file`, in `$at`, from being put back. */
const stubborn: Readonly<Record<string, string>> = {
	"in directories that were made read-only": "chmod 444 $file; chmod 555 $at",
	"in a directory that was closed": "chmod 000 $at",
	"behind a file in the place of the directory": "mv $at other; echo file > $at",
	"behind a link that leads nowhere": "mv $at other; ln -s nowhere $at",
	"behind a link that leads out": "mv $at other; ln -s /usr $at",
	"as a directory": "rm $file; mkdir -p $file/x; chmod 000 $file",
	// Making and moving the files takes seconds.
	...(isFullDepth ? { "among more files than are copied": "touch $at/f{1..5100}" } : {}),
	"by a process that ends at once": "true",
	"by a subshell that starts no program": "true # waits",
};

for (const [name, rest] of Object.entries(stubborn))
	needs(...neededForLandlock, "git")(
		`what a command changed is put back ${name}`,
		async () => {
			for (const [at, file] of [
				[".tau", "config.yml"],
				[".git", "config"],
			] as const) {
				await using box = await landlock({
					files: { "project/.tau/config.yml": "own\n" },
					prepare: (cwd) => void Bun.spawnSync(["git", "init", "-q"], { cwd }),
				});
				const path = join(box.cwd, at, file);
				const own = readFileSync(path, "utf8");
				const change = `at=${at} file=${at}/${file}; echo evil >> $file; ${rest}`;
				const isLate = rest.startsWith("true");
				const waits = rest === "true" ? "sleep 0.05" : "until [ -e go ]; do :; done";
				await box.run(isLate ? `(${waits}; ${change}\n: > done) >/dev/null 2>&1 &` : change);
				writeFileSync(join(box.cwd, "go"), "");
				if (isLate) await until(() => existsSync(join(box.cwd, "done")));
				// The next command accepts no version but the own one.
				const { text } = await box.run("echo ran");
				expect(text).toBe("ran\n");
				expect(readFileSync(path, "utf8")).toBe(own);
				expect(box.sandbox.disarmed().length).toBeGreaterThan(0);
			}
		},
		180_000,
	);

confined("what the user changes between two commands stays", async () => {
	await using box = await landlock({ files: { "project/.tau/config.yml": "a: 1\n" } });
	await box.run("true");
	writeFileSync(join(box.cwd, ".tau/config.yml"), "a: 2\n");
	await box.run("true");
	await box.run("echo evil > .tau/config.yml");
	expect(readFileSync(join(box.cwd, ".tau/config.yml"), "utf8")).toBe("a: 2\n");
});

confined(
	"what a process changes that a command left behind is put back, while it runs and by the next command",
	async () => {
		await using box = await landlock({ files: { "project/.tau/config.yml": "own\n" } });
		const config = join(box.cwd, ".tau/config.yml");
		const wait = (name: string): string => `until [ -e ${name} ]; do sleep 0.02; done`;
		const loop = `${wait("one")}; echo evil > .tau/config.yml; ${wait("two")}; echo evil > .tau/config.yml; exec sleep 100`;
		await box.run(`(setsid env -i PATH="$PATH" sh -c '${loop}' >/dev/null 2>&1 &)`);
		writeFileSync(join(box.cwd, "one"), "");
		await until(() => readFileSync(config, "utf8") === "evil\n");
		await until(() => readFileSync(config, "utf8") === "own\n");
		writeFileSync(join(box.cwd, "two"), "");
		await until(() => readFileSync(config, "utf8") === "evil\n");
		await box.run("true");
		expect(readFileSync(config, "utf8")).toBe("own\n");
		expect(box.sandbox.disarmed().length).toBeGreaterThan(0);
	},
);

confined("a protected directory that was replaced by a link is put back in the project alone", async () => {
	await using box = await landlock({
		files: { "project/.tau/config.yml": "own\n", "home/config.yml": "untouched" },
	});
	await box.run(`mv .tau old; ln -s ${box.home} .tau`);
	expect(readFileSync(join(box.home, "config.yml"), "utf8")).toBe("untouched");
	expect(readFileSync(join(box.cwd, ".tau/config.yml"), "utf8")).toBe("own\n");
});

confined("a background job goes on between commands, and ends with the session", async () => {
	// More than once: the shell, which is its parent, exits at the same time.
	for (let left = samples(20, 4); left > 0; left--) {
		const mark = crypto.randomUUID();
		{
			await using box = await landlock();
			await box.run(
				`(setsid env -i bash -c 'exec -a ${mark} sleep 300' >/dev/null 2>&1 &); sleep 300 & J=$!`,
			);
			const { text } = await box.run("kill -0 $J && echo alive; kill $J; wait $J; echo $?");
			expect(text).toBe("alive\n143\n");
			await until(() => named(mark).length === 1);
		}
		// The kernel may still be at work on its end.
		await until(() => named(mark).length === 0);
		expect(named(mark)).toEqual([]);
	}
});

confined("an abort ends the command and its children, and the shell survives", async () => {
	await using box = await landlock();
	await box.run("A=1");
	const abort = new AbortController();
	const { outcome } = await box.run("(sleep 4712 & echo ready; wait)", {
		signal: abort.signal,
		onOutput: () => abort.abort(),
	});
	expect(outcome.stopped).toBe("abort");
	expect((await box.run("echo $A")).text).toBe("1\n");
	expect(named("sleep\u00004712")).toEqual([]);
});

confined("a terminal works inside, and Ctrl+C reaches the program", async () => {
	await using box = await landlock();
	const terminal = new PtySession(() => box.sandbox);
	let text = "";
	const ended = terminal.start({
		command:
			"trap 'echo caught; exit 7' INT; touch /usr/x; echo > /dev/tty && [ -t 0 ] && echo ready; while :; do sleep 0.05; done",
		cwd: box.cwd,
		env: box.env,
		timeoutMs: 20_000,
		signal: new AbortController().signal,
		onOutput: (chunk) => {
			text += new TextDecoder().decode(chunk);
			if (text.includes("ready") && !text.includes("^C")) terminal.write("\u0003");
		},
	});
	expect((await ended).exitCode).toBe(7);
	expect(text).toContain("caught");
	expect(text).toContain("Permission denied");
});

confined("a single command runs inside, with its status, its environment and its signals", async () => {
	await using box = await landlock();
	mkdirSync(join(box.cwd, "sub"));
	let text = "";
	const outcome = await runShell(
		{
			command:
				"pwd; yes | head -1; echo ${PIPESTATUS[0]}; env | grep -c ^TAU_LANDLOCK; echo x > /etc/file; exit 4",
			cwd: join(box.cwd, "sub"),
			env: box.env,
			timeoutMs: 20_000,
			signal: new AbortController().signal,
			onOutput: (chunk) => void (text += new TextDecoder().decode(chunk)),
		},
		box.sandbox,
	);
	expect(outcome.exitCode).toBe(4);
	// A status of 141: the end of the pipe ends a program, which Bun would ignore.
	expect(text).toStartWith(`${box.cwd}/sub\ny\n141\n0\n`);
	expect(text).toContain("Permission denied");
});

confined("there are no sockets but pairs, whatever the settings allow", async () => {
	await using box = await landlock({ unixSockets: true });
	const families = [1, 2, 10, 16, 17, 40].map(
		(family) => `perl -e 'socket(S, ${family}, 1, 0) and print "open\\n" or print "refused\\n"'`,
	);
	const { text } = await box.run(
		`${families.join("; ")}; perl -e 'use Socket; socketpair(A, B, PF_UNIX, SOCK_STREAM, 0) and print "pair"'`,
	);
	expect(text).toBe(`${"refused\n".repeat(families.length)}pair`);
});

function named(name: string): number[] {
	return listProcesses()
		.map(({ pid }) => pid)
		.filter((pid) => commandLine(pid).startsWith(name));
}

function commandLine(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "latin1");
	} catch {
		return "";
	}
}

async function until(condition: () => boolean): Promise<void> {
	const deadline = performance.now() + 60_000;
	while (!condition() && performance.now() < deadline) await Bun.sleep(10);
}

/** Leaves a process behind that has no mark, no parent, and cannot be looked at. */
const daemon = (work: string): string =>
	`(env -i PATH="$PATH" setsid perl -e 'syscall(157, 4, 0); while (1) { ${work}; open(F, ">", "beat"); print F rand; close F; select(undef, undef, undef, 0.01) }' > /dev/null 2>&1 &); until [ -s beat ]; do :; done; kill -9 $$`;

needs(
	"git",
	"perl",
	...neededForLandlock,
)("what a command leaves behind ends with the session, though it has ended its shell", async () => {
	const hook = ".git/hooks/pre-commit";
	await using box = await landlock({
		prepare: (cwd) => void Bun.spawnSync(["git", "init", "-q"], { cwd }),
	});
	await box.run(daemon(`open(H, ">", "${hook}"); close H`));
	await box.session[Symbol.asyncDispose]();
	await box.sandbox[Symbol.asyncDispose]();
	expect(existsSync(join(box.cwd, "beat"))).toBe(true);
	expect(existsSync(join(box.cwd, hook))).toBe(false);
	expect(listProcesses().filter(({ pid }) => cwdOf(pid) === box.cwd)).toEqual([]);
});

/** Is another process every few milliseconds, which only the file knows. */
const fleeing = (pause: string): string =>
	`(env -i PATH="$PATH" perl -e 'use POSIX; $SIG{$_} = "IGNORE" for keys %SIG; open(F, ">>", "beat"); $end = time + 15; for (1 .. 4000) { exit if time > $end || fork; setsid; syswrite(F, "x"); ${pause} }' > /dev/null 2>&1 &); until [ -s beat ]; do :; done;`;

for (const [what, pause, end] of [
	["flees", "select(undef, undef, undef, 0.003)", ""],
	["flees without a pause", "", ""],
	["flees, and ends its shell", "select(undef, undef, undef, 0.003)", "kill -9 $$"],
] as const)
	needs("perl", ...neededForLandlock)(`what ${what} ends with the session`, async () => {
		await using box = await landlock();
		await box.run(
			Array(4)
				.fill(`${fleeing(pause)}`)
				.join(" ") + end,
		);
		await box.session[Symbol.asyncDispose]();
		const { size } = statSync(join(box.cwd, "beat"));
		expect(size).toBeGreaterThan(0);
		for (let look = 0; look < 100; look++)
			expect(listProcesses().filter(({ pid }) => cwdOf(pid) === box.cwd)).toEqual([]);
		expect(statSync(join(box.cwd, "beat")).size).toBe(size);
	});

function cwdOf(pid: number): string | undefined {
	try {
		return readlinkSync(`/proc/${pid}/cwd`);
	} catch {
		// It has ended.
		return undefined;
	}
}
