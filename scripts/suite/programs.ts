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

function missingPackages(): string[] {
	const missing = Object.entries(programs)
		.filter(([program]) => !(program.startsWith("/") ? existsSync(program) : Bun.which(program)))
		.map(([, name]) => name);
	return [...new Set(missing)];
}

/** Tests of what stays missing are skipped by `needs` (test/support), and counted as skipped. */
export async function bringPrograms(): Promise<void> {
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

export async function quietly(command: string[]): Promise<void> {
	const child = Bun.spawn(command, {
		stdin: "ignore",
		stdout: "ignore",
		stderr: "inherit",
		env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
	});
	await child.exited;
}
