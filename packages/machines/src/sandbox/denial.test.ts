/** A failure that the sandbox caused is recognized in what programs print; others are not. */
import { expect, test } from "bun:test";

import { allowText, findDenials } from "./denial.ts";
import type { SandboxProfile } from "./profile.ts";

const profile: SandboxProfile = {
	cwd: "/work/project",
	home: "/home/user",
	gitUser: { home: "", files: [], settings: [], searchPath: [] },
	shown: [],
	writable: ["/work/project"],
	readOnly: ["/work/project/.git/config", "/work/project/.git/hooks"],
	hidden: ["/home/user/.ssh"],
	links: [],
	unwanted: [],
	unwantedHooks: [],
	direnvScripts: [],
	emptied: ["/run"],
	network: "off",
	unixSockets: false,
};

const cases: [output: string, ...denials: string[]][] = [
	["touch: cannot touch '/etc/x': Read-only file system", "/etc/x is read-only"],
	["bash: line 1: /etc/x: Read-only file system", "/etc/x is read-only"],
	["Error: EROFS: read-only file system, open '/home/user/.config/x'", "/home/user/.config/x is read-only"],
	["OSError: [Errno 30] Read-only file system: '/opt/lib/y'", "/opt/lib/y is read-only"],
	[
		"error: could not lock config file .git/config: Read-only file system",
		"/work/project/.git/config is protected",
	],
	[
		"mv: cannot move '.git/hooks' to '.git/old': Device or resource busy",
		"/work/project/.git/hooks is protected",
	],
	["cat: /home/user/.ssh/id_ed25519: Permission denied", "/home/user/.ssh/id_ed25519 is hidden"],
	["mkdir failed: Read-only file system", "it wrote to a read-only part of the file system"],
	[
		"curl: (6) Could not resolve host: example.org",
		"there is no network except through the proxy of http_proxy",
	],
	["The sandbox has no ssh: git over ssh cannot", "SSH keys are hidden in the sandbox"],
	["Error: listen EPERM: operation not permitted /tmp/tsx-0/1.pipe", "Unix sockets are refused"],
	["strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted", "tracing other processes is refused"],
	["error connecting to /tmp/tmux-0/default (Operation not permitted)", "Unix sockets are refused"],
	[
		"permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: dial unix /var/run/docker.sock: socket: operation not permitted",
		"Docker is not reachable from the sandbox",
	],
	[
		'sudo: The "no new privileges" flag is set, which prevents sudo from running as root.',
		"a command cannot become another user (sudo, su)",
	],
	[
		"ssh: Could not resolve hostname github.com: Temporary failure in name resolution",
		"SSH keys are hidden in the sandbox",
	],
	["cat: ./private: Permission denied"],
	["error: expected 3 arguments"],
	["rm: cannot remove 'x': Device or resource busy"],
	["see https://example.org/etc: Permission denied"],
];

test.each(cases)("%s", (output, ...denials) => {
	const found = findDenials(
		{ output: `before\n${output}\nafter`, cwd: "/work/project", refused: [] },
		profile,
	);
	expect(found.map(({ what }) => what)).toEqual(denials);
});

test("a refused host is named with its registry, and the setting that allows all of it", () => {
	const refused = [{ host: "registry.npmjs.org", port: 443, reason: "the host is not allowed", at: 0 }];
	const [denial] = findDenials({ output: "npm error network", cwd: "/", refused }, profile);
	expect(denial?.what).toBe(
		"the connection to registry.npmjs.org (the npm registry) was refused: the host is not allowed",
	);
	expect(denial?.allow && allowText(denial.allow)).toContain("registry.npmjs.org, registry.yarnpkg.com");
	expect(denial?.mayRunOutside).toBe(false);
});

test("a thousand failures are five lines", () => {
	const output = Array.from(
		{ length: 1000 },
		(_, n) => `touch: cannot touch '/etc/${n}': Read-only file system`,
	);
	expect(findDenials({ output: output.join("\n"), cwd: "/", refused: [] }, profile)).toHaveLength(5);
});

test("in Landlock a refused permission is a denied write, and nothing suggests settings that do not help there", () => {
	const output = [
		"touch: cannot touch '/etc/x': Permission denied",
		"sh: /tmp/x: Permission denied",
		"bash: socket: Operation not permitted",
		"cat: /work/project/own: Permission denied",
	].join("\n");
	const found = findDenials({ output, cwd: "/work/project", refused: [], isLandlock: true }, profile);
	expect(found.map(({ what }) => what)).toEqual([
		"/etc/x is read-only",
		"/tmp/x is not accessible: use $TMPDIR for temporary files",
		expect.stringContaining("there is no network"),
	]);
	const settings = found.map(({ allow }) => allow && allowText(allow));
	expect(settings).toEqual(["sandbox.writable: [/etc]", undefined, undefined]);
});

test("a push to a repository outside is recognized by its path", () => {
	const output = (to: string): string =>
		`error: remote unpack failed: unable to create temporary object directory\nTo ${to}\n ! [remote rejected] main -> main (unpacker error)\nerror: failed to push some refs to '${to}'`;
	const found = (to: string, text = output(to)): unknown[] =>
		findDenials({ output: text, cwd: "/work/project", refused: [] }, profile);
	const denial = (path: string): unknown =>
		expect.objectContaining({ what: `${path} is read-only`, subject: path, mayRunOutside: true });
	expect(found("/etc/bare.git")).toEqual([denial("/etc/bare.git")]);
	expect(found("file:///etc/bare.git")).toEqual([denial("/etc/bare.git")]);
	expect(found("../bare.git")).toEqual([denial("/work/bare.git")]);
	// A model often reads only the end of an output.
	const whole = output("/etc/bare.git");
	expect(found("", whole.slice(whole.indexOf(" !")))).toEqual([denial("/etc/bare.git")]);
	// Elsewhere, and in the project itself, something else is wrong.
	expect(found("https://example.org/a.git")).toEqual([]);
	expect(found("git@example.org:a.git")).toEqual([]);
	expect(found("./bare.git")).toEqual([]);
});

test("a name that cannot be resolved is not a denial", () => {
	const reason = "DNS lookup failed (not blocked by the sandbox)";
	const refused = [{ host: "packages.example", port: 443, reason, at: 0, isUnresolved: true }];
	expect(findDenials({ output: "", cwd: "/", refused }, profile)).toEqual([
		{
			what: "packages.example: DNS lookup failed (not blocked by the sandbox)",
			subject: "packages.example",
			mayRunOutside: false,
			isOther: true,
		},
	]);
});
