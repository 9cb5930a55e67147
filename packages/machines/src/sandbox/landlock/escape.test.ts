/** The attempts to leave the sandbox, against Landlock: none changes, reads or reaches anything that it protects. */
// takes 16 s
import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { some } from "../../../../../test/support/depth.ts";
import { needs } from "../../../../../test/support/needs.ts";
import { runAsUser } from "../testing/as-user.ts";
import { escapeFixture, noTargets, type EscapeFixture } from "../testing/escape-fixture.ts";
import { escapes, type Escape, type Targets } from "../testing/escapes.ts";
import { neededForLandlock } from "../testing/sandbox-fixture.ts";

const attempt = needs(...neededForLandlock, "perl", "git");
/** Possible with Landlock: the documentation says so. */
const possible = "look at a process of the host";
/** Other reasons than in a sandbox with namespaces, where most of the host does not exist. */
const refused = /denied|not permitted|unable to/;
/** Not refused, but put back when the command has ended: the state shows it. */
const putBack = /git|repository|Tau's configuration/;

/** Aimed at Landlock: what it had to learn in later versions, and what namespaces hide elsewhere. */
function landlockEscapes({ outside, home, pid }: Targets): Escape[] {
	const call = (name: string, code: string): Escape => ({
		name,
		command: `perl -e '${code} ? print "ESCAPED\n" : print "denied: $!\n"'`,
		refused,
	});
	return [
		call("empty a file outside", `truncate("${outside}/canary", 0)`),
		call("link a key into the project", `link("${home}/.ssh/id", "linked-key")`),
		call("move a file of the home into the project", `rename("${home}/.bashrc", "moved-bashrc")`),
		call("move a file of the project over one outside", `rename("file", "${outside}/canary")`),
		call("delete a file outside", `unlink("${outside}/canary")`),
		call("make a directory outside", `mkdir("${outside}/new")`),
		call("a named pipe outside", `require POSIX; POSIX::mkfifo("${outside}/new", 0600)`),
		call("signal the program that runs the sandbox", `kill(0, ${process.pid})`),
		{
			name: "end a process of the host by a limit",
			command: `prlimit --pid ${pid} --cpu=1 && echo ESCAPED`,
			refused,
		},
		call("pause a process of the host", `kill("STOP", ${pid})`),
		call(
			"the environment of the program that runs the sandbox",
			`open(F, "<", "/proc/${process.pid}/environ")`,
		),
		call("files of the program that runs the sandbox", `defined(readlink("/proc/${process.pid}/fd/1"))`),
		call("the directory of another process", `open(F, "<", "/proc/${pid}/cwd/package.json")`),
		call("the root of another process", `open(F, "<", "/proc/${pid}/root/etc/hostname")`),
		call("type into a new terminal", 'open(F, "+<", "/dev/ptmx")'),
		call("shared memory of others", 'open(F, ">", "/dev/shm/tau-evil")'),
		{ name: "list the home directory", command: `ls -a ${home}`, refused },
		{ name: "list a directory of keys", command: `ls -a ${home}/.ssh`, refused },
		{
			name: "the rules of the sandbox",
			command: "ls ${TMPDIR%/*}/.. ${TMPDIR%/*}; cat /tmp/tau-sandbox-*/*.json",
			refused,
		},
	];
}

function allEscapes(targets: Targets): Escape[] {
	const common = escapes(targets).filter(({ name }) => name !== possible);
	return [...common, ...landlockEscapes(targets)];
}

const names = allEscapes(noTargets).map(({ name }) => name);

/** Attempts after which another shell starts, and reads the state that they left: those at the state, and some others. */
const withNextShell = new Set([...some(names), ...names.filter((name) => /shell|order/.test(name))]);

let fixture: EscapeFixture | undefined;
let before: unknown;

beforeAll(async () => {
	if (neededForLandlock.length > 0 || Bun.which("git") === null) return;
	fixture = await escapeFixture(true);
	before = fixture.state();
});

afterAll(async () => {
	await fixture?.[Symbol.asyncDispose]();
});

describe("an attempt to leave Landlock fails", () => {
	for (const name of names) attempt(name, () => tryEscape(name));
});

async function tryEscape(name: string): Promise<void> {
	if (!fixture) throw new Error("There is no sandbox.");
	const { box, secret, state, targets } = fixture;
	const escape = allEscapes(targets).find((one) => one.name === name);
	if (!escape) throw new Error("There is no such attempt.");
	const { text } = await box.run(escape.command);
	// Only an attempt that prints the mark: the command lines of other tests contain it, too.
	if (escape.command.includes("ESCAPED")) expect(text).not.toContain("ESCAPED");
	expect(text).not.toContain(secret);
	if (!refused.test(text) && !putBack.test(name)) expect(text).toMatch(escape.refused);
	expect(state()).toEqual(before);
	if (!withNextShell.has(escape.name)) return;
	const { text: next } = await box.run("set; echo x", { beside: true });
	expect(next).not.toContain(secret);
	expect(state()).toEqual(before);
}

test("there are at least a hundred attempts", () => {
	expect(new Set(names).size).toBeGreaterThanOrEqual(100);
});

const asUser = needs("root", ...neededForLandlock, "setpriv");

asUser(
	"all attempts fail for a user without rights, too",
	async () => {
		const { code, report } = await runAsUser(import.meta.path);
		expect(report).not.toContain("(fail)");
		expect(report).toMatch(new RegExp(`${names.length + 1} pass`));
		expect(code).toBe(0);
	},
	180_000,
);
