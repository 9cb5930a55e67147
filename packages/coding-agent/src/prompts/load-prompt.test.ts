/** A person and a project can replace the system prompt and add to it, by file and by flag. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { limits } from "./context-files/limits.ts";
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

function put(path: string, text: string): void {
	mkdirSync(dirname(join(home, path)), { recursive: true });
	writeFileSync(join(home, path), text);
}

async function prompt(more: Partial<PromptRequest> = {}): Promise<{ text: string; notices: string[] }> {
	const notices: string[] = [];
	const onNotice = (message: string): void => void notices.push(message);
	const all = { withContextFiles: true, withRules: true, disabled: [] };
	const parts = await loadPrompt({ cwd, env: { HOME: home }, ...all, onNotice, ...more });
	return { text: systemPrompt({ cwd, ...parts }), notices };
}

test("SYSTEM.md takes the place of the built-in words; what the project says stays", async () => {
	put(".tau/agent/SYSTEM.md", "Mine.");
	put("project/AGENTS.md", "Tabs.");
	const { text } = await prompt();
	expect(text).toStartWith("Mine.\n\n");
	expect(text).toContain("Tabs.");
	expect(text).not.toContain("You are Tau");
});

test("the project's SYSTEM.md stands for the person's, found from a directory below", async () => {
	put(".tau/agent/SYSTEM.md", "Mine.");
	put("project/.tau/SYSTEM.md", "Ours.");
	expect((await prompt()).text).toBe("Ours.");
});

test("APPEND_SYSTEM.md adds to the built-in words", async () => {
	put(".pi/agent/APPEND_SYSTEM.md", "And sing.");
	const { text } = await prompt();
	expect(text).toContain("You are Tau");
	expect(text).toEndWith("And sing.");
});

test("a flag stands above the files, and can ask for no context files", async () => {
	put("project/.tau/SYSTEM.md", "Ours.");
	put("project/AGENTS.md", "Tabs.");
	const { text } = await prompt({
		replace: "Flag.",
		append: "More.",
		withContextFiles: false,
		withRules: false,
	});
	expect(text).toBe("Flag.\n\nMore.");
});

test("a SYSTEM.md that is too long is not used, and the person is told", async () => {
	put("project/.tau/SYSTEM.md", "x".repeat(limits.fileBytes + 1));
	const { text, notices } = await prompt();
	expect(text).toContain("You are Tau");
	expect(notices[0]).toContain("was not used");
});

test("rules speak only of tools that are there, and a repository is called one", () => {
	const all = systemPrompt({ cwd, tools: ["read", "bash", "edit"], isRepository: true });
	expect(all).toContain("Read a file before you change it");
	expect(all).not.toContain("todo list");
	expect(all).toContain("git repository");
	expect(systemPrompt({ cwd })).not.toMatch(/git repository|\[read/);
});
