/** A command that starts processes without end takes neither the machine down nor the session. */
import { expect } from "bun:test";

import { needs } from "../../../../test/support/needs.ts";
import { limits } from "./limits.ts";
import { isAdministrator, runAsUser } from "./testing/as-user.ts";
import { neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";

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

const asUser = needs("root", ...neededPrograms, "setpriv");

asUser("the same holds for a user without rights", async () => {
	const { code, report } = await runAsUser(import.meta.path);
	expect({ code, report }).toEqual({ code: 0, report: expect.stringContaining("1 pass") });
});
