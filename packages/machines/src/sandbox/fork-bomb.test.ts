/** A command that starts processes without end takes neither the machine down nor the session. */
import { expect, setDefaultTimeout } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ShellSession } from "@tau/sys";

import { needs } from "../../../../test/support/needs.ts";
import { limits } from "./limits.ts";
import { isAdministrator, runAsUser } from "./testing/as-user.ts";
import { neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";

// They start hundreds of processes: five seconds are too few on a busy machine.
setDefaultTimeout(60_000);

const sandboxed = needs(...neededPrograms, "perl");

/** Lower than that of the sandbox: other tests run on the same machine. */
const bound = 100;
const bomb = `ulimit -u ${bound}; perl -e 'my $n = 0; while ($n < ${3 * bound}) { my $p = fork; last if !defined $p; if (!$p) { sleep 60; exit } $n++ } print "forked $n\n"'`;

sandboxed("the processes of a sandbox are bounded, and end with their command", async () => {
	await using box = await sandboxFixture({});
	const { text } = await box.run("ulimit -u");
	expect(Number(text)).toBeLessThanOrEqual(limits.processes);
	const { text: forked } = await box.run(bomb, { beside: true });
	const count = Number(/forked (\d+)/.exec(forked)?.[1]);
	// The kernel does not bound the administrator.
	if (isAdministrator) expect(count).toBe(3 * bound);
	else expect(count).toBeLessThan(bound);
	expect((await box.run("echo alive")).text).toBe("alive\n");
});

/** Settings of a user by which code of theirs runs in the shell before the first command, with what bounds it there. */
const settings: Record<string, Record<string, string>> = {
	"a file that bash reads first": { BASH_ENV: "early.sh" },
	"options that trace the shell": { SHELLOPTS: "xtrace", PS4: "$(ulimit -u >> early.txt)" },
	"a function in place of ulimit": { "BASH_FUNC_ulimit%%": "() { :; }" },
	"a function in place of builtin": {
		"BASH_FUNC_builtin%%": '() { [[ $1 == ulimit ]] || command builtin "$@"; }',
	},
};

for (const [name, variables] of Object.entries(settings))
	sandboxed(`the same holds with ${name}`, async () => {
		await using box = await sandboxFixture({ files: { "project/early.sh": "\\ulimit -u > early.txt\n" } });
		const { cwd, sandbox } = box;
		await using session = new ShellSession({
			cwd,
			env: { ...box.env, ...variables },
			launcher: () => sandbox,
		});
		const { signal } = new AbortController();
		const command = "grep 'Max processes' /proc/$$/limits > now.txt";
		await session.run({ command, timeoutMs: 20_000, signal, onOutput: () => {} });
		const inEffect = /Max processes\s+(\d+)\s+(\d+)/.exec(readFileSync(join(cwd, "now.txt"), "utf8"));
		for (const limit of inEffect?.slice(1) ?? [""])
			expect(Number(limit || NaN)).toBeLessThanOrEqual(limits.processes);
		const early = join(cwd, "early.txt");
		const seen = existsSync(early) ? readFileSync(early, "utf8").trim().split("\n") : [];
		for (const limit of seen) expect(Number(limit)).toBeLessThanOrEqual(limits.processes);
		// Bash as the administrator runs nothing of PS4.
		if (seen.length === 0) expect(variables.BASH_ENV).toBeUndefined();
	});

const asUser = needs("root", ...neededPrograms, "setpriv");

asUser("the same holds for a user without rights", async () => {
	const { code, report } = await runAsUser(import.meta.path);
	expect({ code, report }).toEqual({ code: 0, report: expect.stringContaining("5 pass") });
});
