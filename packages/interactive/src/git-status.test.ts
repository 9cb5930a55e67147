/** The footer shows the branch, and whether there are changes. */
import { afterEach, beforeEach, expect } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ChangeJournal, type JournalListener } from "@tau/log/journal";
import { onDispose } from "@tau/utils";

import { needs } from "../../../test/support/needs.ts";
import { factsOf, GitStatus, type GitFacts } from "./git-status.ts";

const test = needs("git");

let home = "";
beforeEach(() => {
	home = realpathSync(mkdtempSync(join(tmpdir(), "tau-git-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function git(...args: string[]): Promise<void> {
	const name = ["-c", "user.name=t", "-c", "user.email=t@t"];
	const child = Bun.spawn(["git", ...name, ...args], { cwd: home, stdout: "ignore", stderr: "ignore" });
	expect(await child.exited).toBe(0);
}

async function read(isTrusted: boolean): Promise<GitFacts | undefined> {
	let last: GitFacts | undefined;
	using status = new GitStatus({
		cwd: () => home,
		env: process.env,
		isTrusted: () => isTrusted,
		onChange: (facts) => {
			last = facts;
		},
	});
	await status.refresh();
	return last;
}

test("a real repository is clean, then changed", async () => {
	await git("init", "-q", "-b", "trunk");
	writeFileSync(join(home, "a"), "1");
	await git("add", ".");
	await git("commit", "-q", "-m", "first");
	expect(await read(true)).toEqual({ branch: "trunk", isDirty: false });
	writeFileSync(join(home, "a"), "2");
	expect(await read(true)).toEqual({ branch: "trunk", isDirty: true });
	expect(await read(false)).toEqual({ branch: "trunk", isDirty: false });
	await git("checkout", "-q", "--detach");
	expect(await read(false)).toEqual({ branch: "detached", isDirty: false });
});

class CountedJournal extends ChangeJournal {
	listeners = 0;

	override subscribe(listener: JournalListener): Disposable {
		const subscription = super.subscribe(listener);
		this.listeners++;
		return onDispose(() => {
			this.listeners--;
			subscription[Symbol.dispose]();
		});
	}
}

test("a recorded change and a command refresh it, and an ended session is not watched", async () => {
	await git("init", "-q", "-b", "trunk");
	const journals = [new CountedJournal(), new CountedJournal()];
	let session = 0;
	let looked = Promise.withResolvers<GitFacts | undefined>();
	using status = new GitStatus({
		cwd: () => home,
		env: process.env,
		isTrusted: () => true,
		journal: () => journals[session] ?? new CountedJournal(),
		onChange: (facts) => looked.resolve(facts),
	});
	const next = async (act: () => void): Promise<GitFacts | undefined> => {
		looked = Promise.withResolvers();
		act();
		return await looked.promise;
	};
	await status.refresh();
	writeFileSync(join(home, "a"), "1");
	const change = { path: join(home, "a"), kind: "created" as const };
	expect(await next(() => journals[0]?.record([change]))).toEqual({ branch: "trunk", isDirty: true });
	rmSync(join(home, "a"));
	expect(await next(() => journals[0]?.onNoted({}))).toEqual({ branch: "trunk", isDirty: false });
	const left = journals[0];
	session = 1;
	await next(() => status.touch());
	expect([left?.listeners, journals[1]?.listeners]).toEqual([0, 1]);
	status[Symbol.dispose]();
	expect(journals[1]?.listeners).toBe(0);
});

test("very many changes are one dirty mark", async () => {
	await git("init", "-q", "-b", "trunk");
	const name = "n".repeat(200);
	for (let index = 0; index < 400; index++) writeFileSync(join(home, `${name}${index}`), "");
	expect(await read(true)).toEqual({ branch: "trunk", isDirty: true });
});

test("if git fails, the branch is still shown", async () => {
	await git("init", "-q", "-b", "trunk");
	writeFileSync(join(home, ".git/config"), "[broken");
	expect(await read(true)).toEqual({ branch: "trunk", isDirty: false });
});

test("outside a repository there is nothing to show", async () => {
	expect(await read(true)).toBeUndefined();
});

const heads: [status: string, facts: GitFacts | undefined][] = [
	["## main...origin/main [ahead 1, behind 2]\n", { branch: "main", isDirty: false }],
	["## feature/a.b\n M x\n", { branch: "feature/a.b", isDirty: true }],
	["## No commits yet on main\n?? x\n", { branch: "main", isDirty: true }],
	["## HEAD (no branch)\n", { branch: "detached", isDirty: false }],
	["", undefined],
];
test.each(heads)("%j is parsed", (status, facts) => {
	expect(factsOf(status)).toEqual(facts);
});
