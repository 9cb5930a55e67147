/** The user and the project can replace the system prompt and append to it, by file and by flag. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { writeTestFile } from "../../../../test/support/files.ts";
import { contextFileLimits as limits } from "@tau/resources/context-files";
import { loadPrompt, type PromptRequest } from "./load-prompt.ts";
import { systemPrompt } from "./system-prompt.ts";

let home = "";
let cwd = "";
beforeEach(() => {
	home = realpathSync(mkdtempSync(join(tmpdir(), "tau-prompt-")));
	cwd = join(home, "project/sub");
	mkdirSync(cwd, { recursive: true });
	mkdirSync(join(home, "project/.git"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const writeFixture = (path: string, text: string): string => writeTestFile(join(home, path), text);

function load(more: Partial<PromptRequest> = {}): ReturnType<typeof loadPrompt> {
	const all = { contextFiles: "all", rules: "all", trust: undefined, disabled: [] } as const;
	return loadPrompt({ cwd, env: { HOME: home }, ...all, onNotice: () => {}, ...more });
}

async function prompt(more: Partial<PromptRequest> = {}): Promise<{ text: string; notices: string[] }> {
	const notices: string[] = [];
	const parts = await load({ onNotice: (message) => void notices.push(message), ...more });
	return { text: systemPrompt({ cwd, ...parts }), notices };
}

test("SYSTEM.md replaces the built-in text, and the project's context files stay", async () => {
	writeFixture(".tau/agent/SYSTEM.md", "Mine.");
	writeFixture("project/AGENTS.md", "Tabs.");
	const { text } = await prompt();
	expect(text).toStartWith("Mine.\n\n");
	expect(text).toContain("Tabs.");
	expect(text).not.toContain("You are Tau");
});

test("SYSTEM.md of a trusted project, found from a subdirectory, follows the user's", async () => {
	writeFixture("project/.tau/SYSTEM.md", "Ours.");
	expect((await prompt({ trust: true })).text).toBe("Ours.");
	writeFixture(".tau/agent/SYSTEM.md", "Mine.");
	expect((await prompt({ trust: true })).text).toBe("Mine.\n\nOurs.");
});

test("APPEND_SYSTEM.md of a trusted project follows the user's", async () => {
	writeFixture(".tau/agent/APPEND_SYSTEM.md", "Mine.");
	writeFixture("project/.pi/APPEND_SYSTEM.md", "Ours.");
	expect((await prompt({ trust: true })).text).toEndWith("Mine.\n\nOurs.");
});

test("regression: an untrusted project does not change the system prompt", async () => {
	writeFixture(".tau/agent/SYSTEM.md", "Mine.");
	writeFixture("project/.tau/SYSTEM.md", "Theirs.");
	writeFixture("project/sub/.omp/APPEND_SYSTEM.md", "Theirs too.");
	const { text, notices } = await prompt();
	expect(text).toBe("Mine.");
	expect(notices).toEqual([
		`Not used, because the project is not trusted: ${join(home, "project/.tau/SYSTEM.md")}, ${join(home, "project/sub/.omp/APPEND_SYSTEM.md")}. Review it, then run /trust yes or start with --trust.`,
	]);
	expect(await prompt({ trust: false })).toEqual({ text: "Mine.", notices: [] });
});

test("the project's instructions and rules can be left out, and the user's stay", async () => {
	writeFixture(".tau/agent/AGENTS.md", "Latin.");
	writeFixture(".tau/agent/rules/mine.md", "My rule.");
	writeFixture("project/AGENTS.md", "Tabs.");
	writeFixture("project/.tau/rules/ours.md", "Our rule.");
	const { foundRules, contextFiles } = await load({ contextFiles: "user", rules: "user" });
	expect(contextFiles?.map(({ content }) => content)).toEqual(["Latin."]);
	expect(foundRules?.map(({ content }) => content)).toEqual(["My rule."]);
});

test("regression: a rule of an untrusted project does not replace the user's of the same name", async () => {
	writeFixture(".claude/rules/style.md", "My style.");
	writeFixture("project/.tau/rules/style.md", "Their style.");
	const said = async (trust: boolean | undefined): Promise<unknown> =>
		(await load({ trust })).foundRules?.map(({ content }) => content);
	expect(await said(undefined)).toEqual(["My style."]);
	expect(await said(false)).toEqual(["My style."]);
	expect(await said(true)).toEqual(["Their style."]);
});

test("APPEND_SYSTEM.md is appended to the built-in text", async () => {
	writeFixture(".pi/agent/APPEND_SYSTEM.md", "And sing.");
	const { text } = await prompt();
	expect(text).toContain("You are Tau");
	expect(text).toEndWith("And sing.");
});

test("a flag overrides the files, and can disable context files", async () => {
	writeFixture("project/.tau/SYSTEM.md", "Ours.");
	writeFixture("project/AGENTS.md", "Tabs.");
	const { text } = await prompt({
		replace: "Flag.",
		append: "More.",
		contextFiles: "none",
		rules: "none",
	});
	expect(text).toBe("Flag.\n\nMore.");
});

test("a SYSTEM.md that is too long is not used, and the user is informed", async () => {
	writeFixture("project/.tau/SYSTEM.md", "x".repeat(limits.fileBytes + 1));
	const { text, notices } = await prompt({ trust: true });
	expect(text).toContain("You are Tau");
	expect(notices[0]).toContain("was not used");
});

test("guidelines mention only available tools, and a repository is called one", () => {
	const all = systemPrompt({ cwd, tools: ["read", "bash", "edit"], isRepository: true });
	expect(all).toContain("Read a file before you edit it");
	expect(all).not.toContain("todo list");
	expect(all).toContain("git repository");
	expect(systemPrompt({ cwd })).not.toMatch(/git repository|\[read/);
});

test("an output style is appended: built in, of the user, and of a trusted project; an unknown one is named", async () => {
	expect((await prompt({ outputStyle: "concise" })).text).toContain("Write as little as possible.");
	const head = "---\nname: Pirate Speak\ndescription: Arr\n---\n";
	writeFixture(".claude/output-styles/p.md", `${head}Talk like a pirate.\n`);
	writeFixture(".tau/agent/output-styles/concise.md", "My own.\n");
	writeFixture("project/.tau/output-styles/team.md", "As the team does.\n");
	writeFixture("project/.tau/output-styles/concise.md", "Not this one.\n");
	expect((await prompt({ outputStyle: "pirate-speak", append: "Also." })).text).toContain(
		"Also.\n\nTalk like a pirate.",
	);
	expect((await prompt({ outputStyle: "concise", trust: true })).text).toContain("My own.");
	expect((await prompt({ outputStyle: "team", trust: true })).text).toContain("As the team does.");
	const untrusted = await prompt({ outputStyle: "team" });
	expect(untrusted.text).not.toContain("As the team does.");
	expect(untrusted.notices.join()).toContain('There is no output style "team"');
	expect((await prompt({ outputStyle: "concis" })).notices.join()).toContain("did you mean concise?");
});
