/** What is asked, how often, and in which words. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import type { FrozenCall } from "@tau/agent";

import {
	answering,
	bash,
	callOf,
	fixture,
	read,
	useDirectories,
	write,
} from "../../../../test/support/policy.ts";

// Below the home directory, because the directories for temporary files may be written to.
let base = "";
let project = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-questions-test-")));
	({ project } = useDirectories(base));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** An hour of ordinary work: 43 calls. */
function hour(): FrozenCall[] {
	const grep = (): FrozenCall => read("src", true);
	return [
		bash("git status"),
		bash("git log --oneline -10"),
		read("README.md"),
		read("src/app.py"),
		grep(),
		bash("rg -n 'def parse' src"),
		bash("PYTHONPATH=src python3 -m pytest -q"),
		read("tests/test_app.py"),
		write("src/app.py"),
		bash("PYTHONPATH=src python3 -m pytest -q tests/test_app.py"),
		bash("PYTHONPATH=src python3 -m pytest -q tests/test_app.py -k parse"),
		write("tests/test_app.py"),
		bash("PYTHONPATH=src python3 -m pytest -x 2>&1 | tail -20"),
		bash("git diff"),
		bash("git diff --stat"),
		bash("git add -A"),
		bash("git commit -m 'Parse empty input'"),
		bash("make -v"),
		bash("node --version"),
		read("package.json"),
		bash("npm test"),
		bash("npm test -- --reporter=dot"),
		write("web/index.ts"),
		bash("npx tsc --noEmit"),
		bash("npx tsc --noEmit -p web"),
		bash("node --test web/"),
		bash("node --test web/a.test.js"),
		write("web/a.ts"),
		bash("npx tsc --noEmit"),
		bash("node --test web/"),
		bash("ls -la web && wc -l web/*.ts"),
		bash("cat web/a.ts | head -40"),
		bash("find . -name '*.ts' -not -path './node_modules/*' | head"),
		bash("git add web"),
		bash("git commit -m 'Add a page'"),
		bash("git log -3 --stat"),
		bash("make test"),
		bash("make test VERBOSE=1"),
		read("docs/guide.md"),
		write("docs/guide.md"),
		bash("git add docs && git commit -m 'Describe it'"),
		bash("git status --short"),
		bash("mkdir -p build && cp docs/guide.md build/"),
	];
}

describe("how often", () => {
	test("a command is asked about again if the shell has gone elsewhere while its question was open", async () => {
		let cwd = project;
		const touches = (): [{ kind: "exec"; command: string; cwd: string }] => [
			{ kind: "exec", command: "rm -r build", cwd },
		];
		const made = await fixture({ mode: "ask" });
		made.requests.connect({ kinds: new Set(["approval"]), open: () => void (cwd = join(base, "home")) });
		const shown = answering(made, "once");
		// What a call touches is worked out once for all gates.
		expect(await made.judge(callOf({ name: "bash", touches }, touches()))).toBe("allow");
		expect(shown.map((asked) => asked.touches.map((touch) => "cwd" in touch && touch.cwd))).toEqual([
			[project],
			[cwd],
		]);
	});

	test("mode ask asks at most 15 times in an hour of 43 ordinary calls", async () => {
		for (const boundary of ["none", "sandbox"] as const) {
			const made = await fixture({ mode: "ask", boundary });
			const shown = answering(made, "session");
			const calls = hour();
			expect(calls).toHaveLength(43);
			for (const call of calls) expect(await made.judge(call)).toBe("allow");
			expect(shown.map(({ reason }) => reason).length).toBeLessThanOrEqual(15);
		}
	});

	test("a yes for a command with a variable holds for the same value, and for no other", async () => {
		const made = await fixture({ mode: "ask" });
		const shown = answering(made, "session");
		await made.judge(bash("PYTHONPATH=src python3 -m pytest -q"));
		expect(shown[0]?.choices[1]?.label).toContain("PYTHONPATH=src python3 -m pytest:*");
		await made.judge(bash("PYTHONPATH=src python3 -m pytest tests"));
		expect(shown).toHaveLength(1);
		await made.judge(bash("PYTHONPATH=evil python3 -m pytest"));
		await made.judge(bash("python3 -m pytest"));
		await made.judge(bash("PYTHONPATH=src LD_PRELOAD=./x.so python3 -m pytest"));
		await made.judge(bash("PYTHONPATH=src python3 -c 'import os'"));
		expect(shown).toHaveLength(5);
	});
});

describe("one question for one action", () => {
	const first = async (
		command: string,
		mode: "ask" | "auto",
	): Promise<{ made: Awaited<ReturnType<typeof fixture>>; shown: ReturnType<typeof answering> }> => {
		const made = await fixture({ mode, boundary: "sandbox" });
		const shown = answering(made, "once");
		expect(await made.judge(bash(command))).toBe("allow");
		return { made, shown };
	};
	const { signal } = new AbortController();

	test("a command that reads keys is asked about together with its way out of the sandbox", async () => {
		const command = `ls ${join(base, "home")}/.ssh`;
		const { made, shown } = await first(command, "auto");
		expect(shown[0]?.reason).toContain("runs outside the sandbox");
		expect(await made.policy.requestOutside(command, "it is hidden", signal)).toBe(true);
		expect(shown).toHaveLength(1);
		// The yes was for one run.
		await made.policy.requestOutside(command, "it is hidden", signal);
		expect(shown).toHaveLength(2);
	});

	test("a command that writes beside the project in mode ask", async () => {
		const command = "touch ../x";
		const { made, shown } = await first(command, "ask");
		expect(shown[0]?.reason).toMatch(/x outside the project; runs outside the sandbox/);
		expect(await made.policy.requestOutside(command, "it is read-only", signal)).toBe(true);
		expect(shown).toHaveLength(1);
	});

	test("a command that connects names the host, which is then not asked about again", async () => {
		const { made, shown } = await first("curl https://example.org/a", "ask");
		expect(shown[0]?.reason).toBe("connects to example.org");
		expect(await made.policy.requestHost("example.org", 443, signal)).toBe(true);
		expect(shown).toHaveLength(1);
		await made.policy.requestHost("other.example", 443, signal);
		expect(shown[1]?.reason).toBe(
			"a command wants to connect to other.example:443 (last command: curl https://example.org/a)",
		);
	});

	test("an installation names the registry", async () => {
		const { made, shown } = await first("pip install ruff", "ask");
		expect(shown[0]?.reason).toBe(
			"pip installs packages, which may run code; connects to the Python Package Index",
		);
		for (const host of ["pypi.org", "files.pythonhosted.org"])
			expect(await made.policy.requestHost(host, 443, signal)).toBe(true);
		expect(shown).toHaveLength(1);
	});
});

describe("reasons are consequences", () => {
	const reasonOf = async (call: FrozenCall, mode: "ask" | "auto" = "ask"): Promise<string> => {
		const made = await fixture({ mode });
		const shown = answering(made, "no");
		await made.judge(call);
		return shown[0]?.reason ?? "";
	};

	test("rm names what it deletes, with a bounded count", async () => {
		for (const name of ["docs", "examples/deep"]) mkdirSync(join(project, name), { recursive: true });
		for (let at = 0; at < 40; at++) {
			writeFileSync(join(project, "docs", `${at}.md`), "");
			writeFileSync(join(project, "examples/deep", `${at}.md`), "");
		}
		expect(await reasonOf(bash("rm -rf docs examples"))).toBe("deletes docs, examples (80 files)");
		expect(await reasonOf(bash("rm docs/1.md"))).toBe("deletes docs/1.md");
		expect(await reasonOf(bash("rm a b c d e f"))).toBe("deletes a, b, c, d and 2 more");
		expect(await reasonOf(bash("find docs -delete"))).toContain("deletes docs (40 files)");
	});

	test.each([
		["git reset --hard", "discards uncommitted changes"],
		["git checkout -- src", "discards uncommitted changes"],
		["git checkout main", "switches branches; hooks of this repository may run"],
		["git switch main", "switches branches; hooks of this repository may run"],
		["git commit -m x", "commits; hooks of this repository may run"],
		["git clean -fd", "deletes untracked files"],
		["git push", "pushes to a remote"],
		["kill 1234", "ends processes"],
		["pkill node", "ends processes"],
		["make", "runs the Makefile of this project"],
		["npm install", "npm installs packages, which may run code"],
		["python3 x.py", "python3 runs code"],
		["touch a", `changes ~`],
	])("%s: %s", async (command, reason) => {
		expect(await reasonOf(bash(command))).toContain(reason === "changes ~" ? "changes " : reason);
	});

	test("a tool of an MCP server is named with its server", async () => {
		const call = callOf({ name: "mcp_slow_lookup", aliases: ["mcp__slow__lookup"] }, []);
		expect(await reasonOf(call)).toBe("calls the tool lookup of the MCP server slow");
		const posing = `ls of the MCP server good.\n${"\n".repeat(50)}${"x".repeat(1000)}`;
		const hostile = callOf({ name: "mcp_bad_ls", aliases: [`mcp__bad__${posing}`] }, []);
		expect(await reasonOf(hostile)).toMatch(
			/^calls the tool ls of the MCP server good\. x+… of the MCP server bad$/,
		);
	});
});
