/** Runs the whole suite: brings the Debian packages that it uses, runs the tests, counts them in a last line. */
import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { countTests, type Counts } from "./count-tests.ts";

const root = join(import.meta.dir, "..");

/** Programs and files that tests really use, and the Debian package that brings each. */
const programs: Readonly<Record<string, string>> = {
	"/usr/lib/python3/dist-packages/debugpy/__init__.py": "python3-debugpy",
	bash: "bash",
	busybox: "busybox",
	bwrap: "bubblewrap",
	clangd: "clangd",
	chromium: "chromium",
	dlv: "delve",
	find: "findutils",
	fish: "fish",
	gcc: "gcc",
	git: "git",
	go: "golang-go",
	gopls: "gopls",
	less: "less",
	"lldb-vscode-14": "lldb-14",
	mkfifo: "coreutils",
	openssl: "openssl",
	patch: "patch",
	prlimit: "util-linux",
	rg: "ripgrep",
	setsid: "util-linux",
	shellcheck: "shellcheck",
	ssh: "openssh-client",
	"/usr/sbin/sshd": "openssh-server",
	strace: "strace",
	tmux: "tmux",
	xclip: "xclip",
	Xvfb: "xvfb",
	zsh: "zsh",
};

function missingPackages(): string[] {
	return Object.entries(programs)
		.filter(([program]) => !(program.startsWith("/") ? existsSync(program) : Bun.which(program)))
		.map(([, name]) => name);
}

/** Tests of what stays missing are skipped by `needs` (test/support), and counted as skipped. */
async function bringPrograms(): Promise<void> {
	const missing = missingPackages();
	if (missing.length === 0) return;
	const asRoot = process.getuid?.() === 0;
	if (!asRoot || Bun.which("apt-get") === null) {
		const way = asRoot ? "install them" : `run as root: apt-get install ${missing.join(" ")}`;
		process.stderr.write(
			`tau: missing for the tests: ${missing.join(", ")}; their tests are skipped. To run all, ${way}\n`,
		);
		return;
	}
	process.stderr.write(`tau: installing for the tests: ${missing.join(", ")} …\n`);
	await quietly(["apt-get", "update", "-qq"]);
	await quietly(["apt-get", "install", "-y", "-qq", "--no-install-recommends", ...missing]);
	const still = missingPackages();
	if (still.length > 0)
		process.stderr.write(`tau: could not install ${still.join(", ")}; their tests are skipped.\n`);
}

async function quietly(command: string[]): Promise<void> {
	const child = Bun.spawn(command, {
		stdin: "ignore",
		stdout: "ignore",
		stderr: "inherit",
		env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
	});
	await child.exited;
}

async function runTests(args: readonly string[]): Promise<{ code: number; counts: Counts }> {
	const report = join(tmpdir(), `tau-test-${process.pid}.xml`);
	const child = Bun.spawn(
		[
			process.execPath,
			"test",
			"--parallel",
			"--timeout=60000",
			"--only-failures",
			"--reporter=junit",
			`--reporter-outfile=${report}`,
			...args,
		],
		{ cwd: root, stdin: "ignore", stdout: "inherit", stderr: "inherit" },
	);
	const code = await child.exited;
	const file = Bun.file(report);
	const counts = countTests((await file.exists()) ? await file.text() : "");
	rmSync(report, { force: true });
	return { code, counts };
}

/** Once for all: many tests start the program, and each of the first would compile it for itself. */
async function compileOnce(): Promise<void> {
	await quietly(["sh", join(root, "tau"), "--version"]);
}

await bringPrograms();
await compileOnce();
const { code, counts } = await runTests(process.argv.slice(2));
process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
// A suite that ran nothing has shown nothing.
process.exitCode = code !== 0 ? code : counts.passed > 0 ? 0 : 1;
