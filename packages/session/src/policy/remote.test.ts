/** Calls that work on another machine are judged by the links there, and a longer yes is about that machine alone. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import {
	answering,
	bash,
	fixture,
	outcomeOf,
	read,
	useDirectories,
	write,
} from "../../../../test/support/policy.ts";

let base = "";
let home = "";
let project = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-remote-test-")));
	({ home, project } = useDirectories(base));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test("a link there that leads out of the project, or to a secret, is asked about", async () => {
	const links = {
		[join(project, "out/a")]: "/srv/other/a",
		[join(project, "key")]: join(home, ".ssh/id_ed25519"),
	};
	const there = { mode: "auto", remote: { machine: "build", links } } as const;
	expect(await outcomeOf(there, write("in/a"))).toBe("allow");
	expect(await outcomeOf(there, write("out/a"))).toBe("ask");
	expect(await outcomeOf(there, read("key"))).toBe("ask");
	expect(await outcomeOf(there, bash("cat key"))).toBe("ask");
	expect(await outcomeOf(there, bash("cat other"))).toBe("allow");
});

test("git is asked about in what it would take for a repository there", async () => {
	const on = { machine: "build" };
	expect(await outcomeOf({ mode: "auto", remote: on }, bash("git status"))).toBe("allow");
	expect(await outcomeOf({ mode: "auto", remote: { ...on, bare: project } }, bash("git status"))).toBe("ask");
});

test("a link here says nothing about a path there", async () => {
	symlinkSync("/srv/other", join(project, "src"));
	mkdirSync(join(project, "keys"));
	symlinkSync(join(home, ".ssh/id_ed25519"), join(project, "keys/a"));
	const there = { mode: "auto", remote: { machine: "build" } } as const;
	expect(await outcomeOf({ mode: "auto" }, write("src/a"))).toBe("ask");
	expect(await outcomeOf(there, write("src/a"))).toBe("allow");
	expect(await outcomeOf({ mode: "auto" }, bash("cat keys/*"))).toBe("ask");
	expect(await outcomeOf(there, bash("cat keys/*"))).toBe("allow");
});

test("a yes for the project is for it on that machine: not here, and not on another one", async () => {
	const on = async (machine: string | undefined): Promise<string> =>
		await outcomeOf(
			{ mode: "ask", ...(machine === undefined ? {} : { remote: { machine } }) },
			bash("make all"),
		);
	const first = await fixture({ mode: "ask", remote: { machine: "build" } });
	answering(first, "project");
	expect(await first.judge(bash("make all"))).toBe("allow");
	first.policy[Symbol.dispose]();
	expect([await on("build"), await on("web"), await on(undefined)]).toEqual(["allow", "ask", "ask"]);
});
