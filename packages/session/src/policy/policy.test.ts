/** The approval policy: what runs, what is asked about and what is refused, by mode, boundary, rules and grants. */
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

import type { AgentTool, FrozenCall, Touch, Verdict } from "@tau/agent";
import type { ApprovalMode, Boundary, UserRequestOf } from "@tau/wire";

import { UserRequests } from "../host/requests.ts";
import { Settings } from "../settings/index.ts";
import { Policy } from "./policy.ts";
import type { RuleFile } from "./rule-files.ts";

// Below the home directory, because the directories for temporary files may be written to.
let base = "";
let home = "";
let project = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-policy-test-")));
	[home, project] = [join(base, "home"), join(base, "project")];
	for (const directory of [home, project, join(base, "agent")]) mkdirSync(directory);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

interface Setup {
	mode?: ApprovalMode;
	boundary?: Boundary;
	/** The text of the user's and of the project's config.yml. */
	user?: string;
	ofProject?: string;
	ruleFiles?: readonly RuleFile[];
	isTrusted?: boolean;
	prompts?: readonly string[];
	agent?: string;
	parent?: Policy;
	sessionId?: () => string;
}

interface Fixture {
	policy: Policy;
	requests: UserRequests;
	notices: string[];
	/** `allow`, `ask`, or why the call does not run. With a client, it is shown and answered by `answer`. */
	judge(call: FrozenCall): Promise<string>;
}

async function fixture(setup: Setup = {}): Promise<Fixture> {
	const { mode, boundary = "none", user, ofProject, sessionId = () => "session-1" } = setup;
	const agentDir = join(base, "agent");
	writeFileSync(join(agentDir, "config.yml"), user ?? "");
	mkdirSync(join(project, ".tau"), { recursive: true });
	writeFileSync(join(project, ".tau/config.yml"), ofProject ?? "");
	const settings = await Settings.load({ cwd: project, agentDir });
	const requests = new UserRequests();
	const notices: string[] = [];
	const policy = new Policy({
		options: {
			mode,
			boundary: () => boundary,
			ruleFiles: () => setup.ruleFiles ?? [],
			isTrusted: () => setup.isTrusted === true,
			places: {
				home,
				own: [join(home, ".tau")],
				ownSecrets: [join(home, ".tau/agent/agent.db")],
				except: [],
			},
			grantsDir: join(agentDir, "grants"),
			temporary: [],
		},
		settings,
		requests,
		cwd: () => project,
		sessionId,
		prompts: () => setup.prompts ?? [],
		emit: async () => {},
		notice: (message) => notices.push(message),
		agent: setup.agent ?? "main",
		parent: setup.parent,
	});
	const judge = async (call: FrozenCall): Promise<string> => {
		const verdict: Verdict | undefined = await policy.judge(call, new AbortController().signal);
		return verdict?.allow === false ? verdict.reason : "allow";
	};
	return { policy, requests, notices, judge };
}

/** A client that answers with the choice of this id; returns what it was shown. */
function answering(
	{ requests }: Fixture,
	choice: string | undefined,
	message?: string,
): UserRequestOf<"approval">[] {
	const shown: UserRequestOf<"approval">[] = [];
	requests.connect({
		kinds: new Set(["approval"]),
		open(request) {
			if (request.kind !== "approval") return;
			shown.push(request);
			const answer =
				choice === undefined ? undefined : { choice, ...(message === undefined ? {} : { message }) };
			requests.answer(request.id, answer);
		},
	});
	return shown;
}

function callOf(
	tool: Partial<AgentTool>,
	touches: readonly Touch[],
	more: Partial<FrozenCall> = {},
): FrozenCall {
	const full = { name: "tool", approval: "exec", touches: () => touches, ...tool } as AgentTool;
	return {
		id: "call-1",
		name: full.name,
		tool: full,
		arguments: {},
		touches,
		rewrittenBy: [],
		changedSince: false,
		...more,
	};
}

const bash = (command: string, more?: Partial<FrozenCall>): FrozenCall =>
	callOf({ name: "bash" }, [{ kind: "exec", command, cwd: project }], more);
const write = (path: string): FrozenCall =>
	callOf({ name: "write", approval: "write" }, [
		{ kind: "write", path: path.startsWith("/") ? path : join(project, path) },
	]);
const read = (path: string, tree?: true): FrozenCall =>
	callOf({ name: "read", approval: "read" }, [
		{ kind: "read", path: path.startsWith("/") ? path : join(project, path), ...(tree ? { tree } : {}) },
	]);
const fetchUrl = (url: string): FrozenCall =>
	callOf({ name: "read", approval: "read" }, [{ kind: "fetch", url }]);
const plainTool = (approval: AgentTool["approval"], isUndeclared = false): FrozenCall => {
	const { touches: _, ...tool } = callOf({ name: "deploy", approval, isUndeclared }, []).tool;
	return { ...callOf({}, []), name: "deploy", tool };
};

/** `allow`: runs unasked. `ask`: asked. `refuse`: does not run, without a question. */
async function outcomeOf(setup: Setup, call: FrozenCall): Promise<string> {
	const made = await fixture(setup);
	const shown = answering(made, "once");
	const result = await made.judge(call);
	if (shown.length > 0) return "ask";
	return result === "allow" ? "allow" : "refuse";
}

describe("with a client that can answer", () => {
	const calls: Record<string, () => FrozenCall> = {
		"read a file": () => read("a.txt"),
		"read outside": () => read("/etc/hostname"),
		"write in the project": () => write("src/a.ts"),
		"write outside": () => write(join(base, "elsewhere.txt")),
		"read-only command": () => bash("git status"),
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
		"write outside": "refuse ask ask ask ask allow",
		"read-only command": "allow allow allow allow allow allow",
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
			const { judge } = await fixture({ mode: "ask", boundary });
			outcomes.push((await judge(call())) === "allow" ? "allow" : "refuse");
		}
		expect(outcomes.join(" ")).toBe(expected);
	});

	test("the model reads what to do instead, and the user reads what would allow the call", async () => {
		const { judge, notices } = await fixture({ mode: "auto" });
		expect(await judge(bash("npm test"))).toContain("nobody can answer here. Do what you can without it");
		expect(notices).toEqual([
			expect.stringMatching(/^bash was refused.*add Bash\(npm test.*\) to permissions\.allow/),
		]);
	});
});

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
		expect(await made.judge(fetchUrl("https://docs.example.org/x"))).toBe("allow");
		expect(await made.judge(fetchUrl("https://example.com/x"))).toContain("not an allowed host");
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

	test("hosts and runs outside of the sandbox are asked about by name", async () => {
		const made = await fixture({ mode: "auto", boundary: "sandbox" });
		const shown = answering(made, "session");
		const { signal } = new AbortController();
		expect(await made.policy.requestHost("registry.npmjs.org", 443, signal)).toBe(true);
		expect(await made.policy.requestHost("registry.npmjs.org", 443, signal)).toBe(true);
		expect(await made.policy.requestOutside("npm publish", "no network", signal)).toBe(true);
		expect(shown.map(({ reason }) => reason)).toEqual([
			"a command connects to registry.npmjs.org:443, which is not an allowed host",
			"run it outside the sandbox? no network",
		]);
		const alone = await fixture({ mode: "auto", boundary: "sandbox" });
		expect(await alone.policy.requestHost("example.org", 443, signal)).toBe(false);
		expect(await alone.policy.requestOutside("ls", "x", signal)).toBe(false);
	});
});
