/** Brings the Debian packages with the programs that tests use, as root; says what is missing otherwise. */
import { existsSync } from "node:fs";

/** Programs and files that tests really use, and the Debian package that brings each. */
const programs: Readonly<Record<string, string>> = {
	"/usr/lib/python3/dist-packages/debugpy/__init__.py": "python3-debugpy",
	bash: "bash",
	busybox: "busybox",
	bwrap: "bubblewrap",
	clangd: "clangd",
	chromium: "chromium",
	curl: "curl",
	dlv: "delve",
	find: "findutils",
	fish: "fish",
	gcc: "gcc",
	git: "git",
	go: "golang-go",
	gopls: "gopls",
	jq: "jq",
	less: "less",
	"lldb-vscode-14": "lldb-14",
	mkfifo: "coreutils",
	openssl: "openssl",
	patch: "patch",
	perl: "perl-base",
	pgrep: "procps",
	prlimit: "util-linux",
	python3: "python3",
	"redis-server": "redis-server",
	rg: "ripgrep",
	setpriv: "util-linux",
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

/** Without them no test is skipped, but the run takes longer. */
const faster: Readonly<Record<string, string>> = {
	"/usr/lib/chromium/chromium-headless-shell": "chromium-headless-shell",
};

function missingPackages(wanted = programs): string[] {
	const missing = Object.entries(wanted)
		.filter(([program]) => !(program.startsWith("/") ? existsSync(program) : Bun.which(program)))
		.map(([, name]) => name);
	return [...new Set(missing)];
}

/** Tests of what stays missing are skipped by `needs` (test/support), and counted as skipped. */
export async function bringPrograms(): Promise<void> {
	const missing = missingPackages();
	const isInstalling = process.getuid?.() === 0 && Bun.which("apt-get") !== null;
	const more = isInstalling ? missingPackages(faster) : [];
	if (missing.length + more.length === 0) return;
	if (!isInstalling) {
		const way =
			process.getuid?.() === 0 ? "install them" : `run as root: apt-get install ${missing.join(" ")}`;
		process.stderr.write(
			`tau: missing for the tests: ${missing.join(", ")}; their tests are skipped. To run all, ${way}\n`,
		);
		return;
	}
	process.stderr.write(`tau: installing for the tests: ${[...missing, ...more].join(", ")} …\n`);
	await quietly(["apt-get", "update", "-qq"]);
	const install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"];
	// Apart: a Debian that has no such package brings the others.
	for (const packages of [missing, more]) if (packages.length > 0) await quietly([...install, ...packages]);
	const still = missingPackages();
	if (still.length > 0)
		process.stderr.write(`tau: could not install ${still.join(", ")}; their tests are skipped.\n`);
}

export async function quietly(command: string[]): Promise<void> {
	const child = Bun.spawn(command, {
		stdin: "ignore",
		stdout: "ignore",
		stderr: "inherit",
		env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
	});
	await child.exited;
}
