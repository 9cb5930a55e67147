/** A command is judged by where links lead then, and opens files until it ends: what would change that meanwhile is asked about. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import type { FrozenCall } from "@tau/agent";
import {
	answering,
	bash,
	callOf,
	fixture,
	useDirectories,
	write,
	type Fixture,
	type Setup,
} from "../../../../test/support/policy.ts";

let base = "";
let project = "";
beforeAll(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-running-test-")));
	({ project } = useDirectories(base));
	for (const name of ["far/away/x", "far/home", "plain/in", "a/b"])
		mkdirSync(join(project, name), { recursive: true });
	for (const name of ["a.txt", "far/home/.netrc"]) writeFileSync(join(project, name), "x\n");
	symlinkSync("far/away/x", join(project, "way"));
	symlinkSync("way/../../home/.netrc", join(project, "one"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Agent extends Fixture {
	shown: readonly { reason?: string | undefined }[];
}

async function agent(setup: Setup = {}): Promise<Agent> {
	const made = await fixture({ mode: "auto", ...setup });
	return { ...made, shown: answering(made, undefined) };
}

/** Judges the call, and starts its command unless that is asked about; returns what ends it, or the question. */
async function start({ policy, shown }: Agent, call: FrozenCall): Promise<(() => Promise<void>) | string> {
	const before = shown.length;
	const verdict = await policy.judge(call, new AbortController().signal);
	if (verdict?.allow !== true) return shown.at(-1)?.reason ?? "refused";
	expect(shown.length).toBe(before);
	const ended = Promise.withResolvers<void>();
	verdict.within?.runs?.(ended.promise);
	verdict.within?.ended?.();
	return async () => {
		ended.resolve();
		await ended.promise;
	};
}

async function running(of: Agent, command: string): Promise<() => Promise<void>> {
	const end = await start(of, bash(command));
	if (typeof end === "string") throw new Error(`${command} was asked about: ${end}`);
	return end;
}

const changes = [
	"touch ./-R",
	"mkdir -p plain/+x/y",
	"cp a.txt ./-f",
	"rm way",
	"mv a/b b",
	"rm -r plain",
	"mv a.txt way",
	"rmdir a/b",
];

test("regression: what a command moves after a wait may be a directory by then", async () => {
	const main = await agent();
	const other = await agent({ parent: main.policy, agent: "helper" });
	const end = await running(main, "sleep 2; mv a.txt plain/in");
	expect(await start(other, bash("cd plain/in; sleep 4; cat ../../a.txt"))).toContain("still runs");
	await end();
	await (
		await running(main, "mv a.txt plain/in")
	)();
});

test("regression: no link or directory is taken away while the command of another agent opens files", async () => {
	const main = await agent();
	const other = await agent({ parent: main.policy, agent: "helper" });
	const end = await running(other, "sleep 30; cat one");
	const link = { kind: "delete", path: join(project, "way") } as const;
	const calls = [
		...changes.map((command) => bash(command)),
		callOf({ name: "edit", approval: "write" }, [link]),
		write("-R"),
	];
	const asked = await Promise.all(
		calls.map(async (call) => start(await agent({ parent: main.policy }), call)),
	);
	for (const reason of asked)
		expect(reason).toContain("sleep 30; cat one still runs, and this may change which files it opens");
	await end();
	for (const command of changes) await (await running(main, command))();
});

test("what opens files is asked about while a command runs that may change links", async () => {
	const main = await agent({ user: "permissions:\n  allow:\n    - Bash(git pull:*)\n" });
	const other = await agent({ parent: main.policy });
	const end = await running(main, "git pull");
	expect(await start(other, bash("cat one"))).toContain(
		"git pull still runs, and may change which files this opens",
	);
	await end();
	await (
		await running(other, "cat one")
	)();
});

test("commands that read, write files or run code do so side by side", async () => {
	const user = "permissions:\n  allow:\n    - Bash(npm test:*)\n    - Bash(git commit:*)\n";
	const main = await agent({ user });
	const other = await agent({ user, parent: main.policy });
	const commands = [
		"npm test",
		"npm test 2>&1 | tail -20",
		"cat a.txt one",
		"ls -la",
		"git status",
		"grep -r x far",
		"mkdir -p n/m",
		"echo x > a.txt",
		"touch new.txt",
		"rm new.txt",
		"mv a.txt plain",
		"git commit -m x",
	];
	for (const command of commands) {
		await running(main, command);
		await running(other, command);
	}
});

test("what makes a directory a repository, or adds one to the index, is not done while git may look at it", async () => {
	mkdirSync(join(project, "data/objects"), { recursive: true });
	writeFileSync(join(project, "data/HEAD"), "ref: refs/heads/main\n");
	const main = await agent();
	const other = await agent({ parent: main.policy });
	const calls = [bash("mkdir -p data/refs/heads"), write("data/refs/x"), bash("git add a.txt")];
	const reading = await running(other, "sleep 30; cat a.txt");
	for (const call of calls) {
		const end = await start(main, call);
		expect(end).toBeFunction();
		if (typeof end !== "string") await end();
	}
	await reading();
	const status = await running(other, "sleep 30; git status");
	const asked = await Promise.all(
		calls.map(async (call) => start(await agent({ parent: main.policy }), call)),
	);
	for (const reason of asked) expect(reason).toContain("sleep 30; git status still runs");
	await (
		await running(main, "mkdir -p data/other refs")
	)();
	await status();
});

test("a command that ends soon is waited for, and what follows is judged by what is there then", async () => {
	const main = await agent();
	const other = await agent({ parent: main.policy });
	const end = await running(main, "rm -r a");
	const waiting = start(other, bash("cat later"));
	symlinkSync(join(base, "home/.ssh/id"), join(project, "later"));
	await end();
	expect(await waiting).toContain("a link to");
	expect(await waiting).not.toContain("still runs");
});

test("of two commands that are judged at the same time, the second one waits for the first", async () => {
	const main = await agent();
	const other = await agent({ parent: main.policy });
	const both = await Promise.all([start(main, bash("sleep 30; cat one")), start(other, bash("rm way"))]);
	expect(both.filter((one) => typeof one === "string" && one.includes("still runs"))).toHaveLength(1);
});

test("a call that never runs is in nobody's way", async () => {
	const main = await agent();
	const interrupted = new AbortController();
	await main.policy.judge(bash("cat one"), interrupted.signal);
	interrupted.abort();
	await (
		await running(main, "rm way")
	)();
});
