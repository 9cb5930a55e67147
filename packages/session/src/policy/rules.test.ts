/** Permission rules and protected paths: deny wins, projects narrow, links are resolved, and nothing beats a secret. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import type { FrozenCall } from "@tau/agent";
import type { ApprovalMode } from "@tau/wire";

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
let project = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-policy-test-")));
	({ home, project } = useDirectories(base));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe("rules", () => {
	const user = (lists: Record<string, string[]>): string => JSON.stringify({ permissions: lists });

	test("an allowed command runs, and nothing can be smuggled behind it", async () => {
		const setup: Setup = { mode: "ask", user: user({ allow: ["Bash(npm test:*)"] }) };
		expect(await outcomeOf(setup, bash("npm test -- --watch"))).toBe("allow");
		const smuggled = [
			"npm test && node x.js",
			"npm test; node x",
			"npm test > out.txt",
			"npm test $(node x)",
		];
		for (const command of smuggled) expect(await outcomeOf(setup, bash(command))).toBe("ask");
	});

	test("regression: a rule for a program allows no list of files that nobody has judged", async () => {
		mkdirSync(join(home, ".ssh"));
		symlinkSync(join(home, ".ssh/id_rsa"), join(project, "key"));
		const setup: Setup = {
			mode: "auto",
			user: user({ allow: ["sort", "find", "tree", "shuf"].map((name) => `Bash(${name}:*)`) }),
		};
		const asked = [
			"find -files0-from key",
			"find . -files0-from list -exec cat {} +",
			"sort --files0-from=key",
			"sort --files0=list",
			"sort --files0-from list",
			"tree --gitfile=key",
		];
		for (const command of asked) expect(await outcomeOf(setup, bash(command))).toBe("ask");
		for (const command of ["find . -newerXY x", "sort --foo=bar a", "tree --gitfile=x"])
			expect(await outcomeOf(setup, bash(command))).toBe("allow");
	});

	test("deny wins over allow, over a hook's allow and over full", async () => {
		const lists = user({ allow: ["Bash(git push:*)", "Edit"], deny: ["Bash(git push:*)", "Edit(*.lock)"] });
		const { judge } = await fixture({ mode: "full", user: lists });
		expect(await judge(bash("git status && git push origin main"))).toContain("denies it");
		expect(await judge(bash("git push", { allowedBy: "a hook" }))).toContain("the rule Bash(git push:*)");
		expect(await judge(write("deep/bun.lock"))).toContain("denies it");
		expect(await judge(write("deep/bun.ts"))).toBe("allow");
	});

	test("a path is judged where its links lead to", async () => {
		mkdirSync(join(base, "outside"));
		symlinkSync(join(base, "outside"), join(project, "link"));
		symlinkSync(join(base, "outside/not-yet"), join(project, "dangling"));
		const made = await fixture({
			mode: "auto",
			user: user({ allow: ["Edit(link/**)"], deny: ["Read(secrets/**)"] }),
		});
		expect(await made.judge(write("link/new.txt"))).toContain("outside the project");
		expect(await made.judge(write("dangling"))).toContain("outside the project");
		mkdirSync(join(project, "secrets"));
		symlinkSync(join(project, "secrets"), join(project, "harmless"));
		expect(await made.judge(read("harmless/key.txt"))).toContain("denies it");
		expect(await made.judge(bash("cat secrets/key.txt"))).toContain("denies it");
	});

	test("ask asks in auto; tool names (also omp's tools.approval), servers and hosts can be named", async () => {
		const made = await fixture({
			mode: "auto",
			boundary: "sandbox",
			user: `${user({ ask: ["Bash(make:*)"], deny: ["mcp__jira"], allow: ["WebFetch(domain:*.example.org)"] })}`,
		});
		expect(await made.judge(bash("make all"))).toContain("asks about it");
		const jira = { ...plainTool("read"), name: "mcp__jira__create" };
		expect(await made.judge(jira)).toContain("the rule mcp__jira");
		const plain = plainTool("read");
		const tool = { ...plain.tool, aliases: ["mcp__jira__create"] };
		const ofServer = { ...plain, name: "mcp_jira_create", tool };
		expect(await made.judge(ofServer)).toContain("the rule mcp__jira");
		expect(await made.judge(fetchUrl("https://docs.example.org/x"))).toBe("allow");
		expect(await made.judge(fetchUrl("https://example.com/x"))).toContain("which no rule allows");
		const omp = await fixture({ mode: "full", user: "tools:\n  approval:\n    bash: deny\n" });
		expect(await omp.judge(bash("ls"))).toContain("the rule bash");
	});

	test("a project's files narrow, and widen only if it is trusted and the user has said so", async () => {
		const ofProject = user({ allow: ["Bash(node:*)"], deny: ["Bash(npm publish:*)"] });
		const untrusted = await fixture({ mode: "ask", ofProject, isTrusted: true });
		expect(await untrusted.judge(bash("node x.js"))).toContain("nobody can answer");
		expect(await untrusted.judge(bash("npm publish"))).toContain("denies it");
		const trusted = await fixture({
			mode: "ask",
			ofProject,
			isTrusted: true,
			user: "permissions:\n  projectAllow: true\n",
		});
		expect(await trusted.judge(bash("node x.js"))).toBe("allow");
	});

	test("Claude Code's files are read as they are; a bad rule is named with its file", async () => {
		const path = join(base, "settings.json");
		writeFileSync(
			path,
			JSON.stringify({ permissions: { allow: ["Bash(npm run lint)", "Foo(x)"], deny: ["Read(/b/**)"] } }),
		);
		const made = await fixture({ mode: "ask", ruleFiles: [{ path, level: "user", root: base }] });
		expect(await made.judge(bash("npm run lint"))).toBe("allow");
		expect(await made.judge(read(join(base, "b/c")))).toContain("denies it");
		expect(made.notices).toEqual([
			expect.stringMatching(/settings\.json: permissions\.allow "Foo\(x\)": Foo takes no pattern/),
		]);
	});

	test("the mode of a project's files applies only if it is stricter", async () => {
		const mode = async (own: string, ofProject: string): Promise<ApprovalMode> =>
			(await fixture({ user: own, ofProject })).policy.mode;
		const of = (name: string): string => `tools:\n  approvalMode: ${name}\n`;
		expect(await mode(of("auto"), of("ask"))).toBe("ask");
		expect(await mode(of("ask"), of("full"))).toBe("ask");
		expect(await mode(of("always-ask"), "")).toBe("ask");
	});
});

describe("protected paths", () => {
	test.each([
		[".git/config"],
		[".GIT/hooks/x"],
		[".tau/config.yml"],
		["sub/.git/hooks/post-commit"],
		[".claude/settings.json"],
	])("%s of the project cannot be changed unasked", async (path) => {
		expect(await outcomeOf({ mode: "auto", boundary: "container" }, write(path))).toBe("ask");
	});

	test.each([
		[".bashrc"],
		[".ssh/config"],
		[".aws/credentials"],
		[".gnupg/x"],
		[".tau/agent/config.yml"],
		[".npmrc"],
	])("~/%s is asked about even where a rule and a hook allow it", async (path) => {
		const user = JSON.stringify({ permissions: { allow: ["Edit(~/**)", "Edit(//**)"] } });
		const call = { ...write(join(home, path)), allowedBy: "a hook" };
		expect(await outcomeOf({ mode: "auto", boundary: "sandbox", user }, call)).toBe("ask");
	});

	test("commands are judged by the files that they would change and read", async () => {
		const setup: Setup = { mode: "auto", boundary: "container" };
		expect(await outcomeOf(setup, bash("echo x >> ~/.bashrc"))).toBe("ask");
		expect(await outcomeOf(setup, bash("cat ~/.ssh/id_rsa"))).toBe("ask");
		expect(await outcomeOf(setup, bash("rm -rf .git"))).toBe("ask");
	});

	test("variables of a call are judged with its command, and shown", async () => {
		const withEnv = (env: Record<string, string>): FrozenCall =>
			callOf({ name: "bash" }, [{ kind: "exec", command: "git diff", cwd: project, env }]);
		expect(await outcomeOf({ mode: "ask" }, withEnv({ NO_COLOR: "1" }))).toBe("allow");
		expect(await outcomeOf({ mode: "ask" }, withEnv({ GIT_EXTERNAL_DIFF: "./x" }))).toBe("ask");
		expect(await outcomeOf({ mode: "ask" }, withEnv({ "BASH_FUNC_git%%": "() { ./x; }" }))).toBe("ask");
		const made = await fixture({ mode: "ask" });
		const shown = answering(made, "no");
		await made.judge(withEnv({ LD_PRELOAD: "./x.so" }));
		expect(shown[0]?.touches).toMatchObject([{ command: "export LD_PRELOAD='./x.so'\ngit diff" }]);
	});

	test("a search of the home directory is asked about, because it would read secrets", async () => {
		expect(await outcomeOf({ mode: "auto" }, read(home, true))).toBe("ask");
		expect(await outcomeOf({ mode: "auto" }, read(project, true))).toBe("allow");
	});
});
