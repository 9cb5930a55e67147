/** Rules in files reach the model: in the prompt, by name, with a file, and when the model breaks them. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, playModel, type Scenario } from "@tau/ai/testing";
import { createAgentSession } from "@tau/coding-agent";
import { SessionManager } from "@tau/log";
import type { SessionEvent } from "@tau/session";

import { writeTestFile } from "../../../../test/support/files.ts";

let base = "";
beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "tau-rules-session-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const writeFixture = (path: string, text: string): string => writeTestFile(join(base, path), text);

async function talk(steps: Scenario["steps"], contextFiles = true) {
	await using played = await playModel({ steps });
	writeFixture("agent/models.yml", modelsYml(played, { api: "anthropic-messages" }));
	writeFixture("project/.git/HEAD", "");
	const cwd = join(base, "project");
	const agentDir = join(base, "agent");
	const sessionManager = SessionManager.inMemory(cwd);
	using tau = await createAgentSession({
		cwd,
		agentDir,
		sessionManager,
		model: "played/played-1",
		contextFiles,
	});
	const events: SessionEvent[] = [];
	using _ = tau.session.subscribe((event) => void events.push(event));
	await tau.session.prompt({ text: "go" });
	return {
		requests: played.requests.map(({ rawBody }) => rawBody),
		prompt: tau.session.state.systemPrompt,
		notices: events.flatMap((event) => (event.type === "notice" ? [event.message] : [])),
	};
}

function calls(name: string, args: Record<string, unknown>) {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

test("a rule that always applies is in the system prompt; one with a description is named there and can be read", async () => {
	writeFixture("project/.tau/rules/tabs.md", "Indent with tabs.");
	writeFixture("agent/rules/dates.md", "---\ndescription: How dates are written\n---\nYear first.");
	const { prompt, requests } = await talk([calls("read", { path: "rule://dates" }), "Done."]);
	expect(prompt).toContain('<rule name="tabs">\nIndent with tabs.\n</rule>');
	expect(prompt).toContain("- dates: How dates are written");
	expect(prompt).not.toContain("Year first.");
	expect(requests[1]).toContain("Year first.");
});

test("a rule with globs is injected with the first result about a matching file", async () => {
	writeFixture("project/.cursor/rules/css.mdc", "---\nglobs: *.css\nalwaysApply: false\n---\nNo ids.");
	writeFixture("project/a.css", "p {}");
	const { prompt, requests } = await talk([calls("read", { path: "a.css" }), "Done."]);
	expect(prompt).not.toContain("No ids.");
	expect(requests[1]).toContain("No ids.");
});

test("a rule with a condition stops a violation before it happens", async () => {
	writeFixture(
		"project/.omp/rules/no-var.md",
		"---\ncondition: '\\bvar '\nscope: tool:write(*.js)\n---\nUse const.",
	);
	const { requests } = await talk([calls("write", { path: "a.js", content: "var a = 1;\n" }), "Done."]);
	expect(requests[1]).toContain("Use const.");
	expect(await Bun.file(join(base, "project/a.js")).exists()).toBe(false);
});

test("built-in rules apply if the user enables them, except those that are disabled", async () => {
	const push = calls("bash", { command: "echo git push --force" });
	expect((await talk([push, "Done."])).requests[1]).toContain("tool_result");
	writeFixture("agent/config.yml", "ttsr:\n  builtinRules: true\n");
	expect((await talk([push, "Done."])).requests[1]).toContain('rule=\\"no-force-push\\"');
	writeFixture("agent/config.yml", "ttsr:\n  builtinRules: true\n  disabledRules: [no-force-push]\n");
	expect((await talk([push, "Done."])).requests[1]).toContain("tool_result");
});

test("nothing is stopped if stream rules are disabled, and a project cannot disable the user's", async () => {
	writeFixture("agent/rules/no-force.md", "---\ncondition: push --force\n---\nAsk first.");
	writeFixture("project/.tau/config.yml", "ttsr:\n  enabled: false\n");
	expect((await talk(["I push --force now.", "Done."])).requests).toHaveLength(2);
	writeFixture("agent/config.yml", "ttsr:\n  enabled: false\n");
	expect((await talk(["I push --force now."])).requests).toHaveLength(1);
});

test("an unusable rule is reported to the user, and the session continues", async () => {
	writeFixture("project/.tau/rules/bad.md", "---\ncondition: '('\n---\nWords.");
	const { notices, requests } = await talk(["Hello."]);
	expect(notices.join("\n")).toContain("Rule bad: the condition");
	expect(requests).toHaveLength(1);
});

test("without context files there are no rules either", async () => {
	writeFixture("project/.tau/rules/tabs.md", "Indent with tabs.");
	expect((await talk(["Hello."], false)).prompt).not.toContain("Indent with tabs.");
});
