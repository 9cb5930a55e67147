/** `/name` and `/skill:name` are expanded, and everything else stays as the user typed it. */
import { expect, test } from "bun:test";

import {
	loadResources,
	resourceNotice,
	type ResourceRequest,
	type Resources,
} from "@tau/extensions/resources";
import { plantTree, skillText, type Tree } from "../discovery/testing/tree.ts";
import { expandPrompt } from "./expand-prompt.ts";

function load({ home, project }: Tree, more: Partial<ResourceRequest> = {}): Promise<Resources> {
	const env = { HOME: home, PATH: process.env.PATH };
	return loadResources({
		cwd: project,
		env,
		commandEnv: env,
		disabled: [],
		skillPaths: [],
		templatePaths: [],
		withSkills: true,
		withTemplates: true,
		hasSkillCommands: true,
		isTrusted: () => false,
		...more,
	});
}

test("text without a command stays unchanged", async () => {
	using tree = plantTree();
	tree.put("project/.claude/commands/etc/hosts.md", "no");
	const resources = await load(tree);
	for (const text of ["hello", "", "/", "/unknown x", "/etc/passwd is broken", "what does /hosts do"])
		expect(await expandPrompt(text, resources)).toEqual({ kind: "plain", text });
});

test("a template is called by its name, its path, and its last name if that is unique", async () => {
	using tree = plantTree();
	tree.put("project/.claude/commands/git/commit.md", "---\ndescription: d\n---\nCommit $1.");
	tree.put("project/.gemini/commands/a/same.toml", 'prompt = "A"');
	tree.put("project/.gemini/commands/b/same.toml", 'prompt = "B"');
	const resources = await load(tree);
	for (const call of ["/git:commit now", "/git/commit now", "/commit now", "  /commit\nnow"])
		expect(await expandPrompt(call, resources)).toMatchObject({
			kind: "template",
			text: "Commit now.",
			notices: [],
		});
	expect(await expandPrompt("/same", resources)).toMatchObject({ kind: "plain" });
	expect(await expandPrompt("/b:same", resources)).toMatchObject({ text: "B" });
});

test("a template is read when it is called: a change applies, and a deleted one is rejected", async () => {
	using tree = plantTree();
	const path = tree.put("project/.tau/prompts/p.md", "Old.");
	const resources = await load(tree);
	tree.put("project/.tau/prompts/p.md", "New.");
	expect(await expandPrompt("/p", resources)).toMatchObject({ text: "New." });
	await Bun.file(path).delete();
	expect(await expandPrompt("/p", resources)).toMatchObject({ kind: "refused" });
});

test("commands in the project's templates run only in trusted projects, the user's own always", async () => {
	using tree = plantTree();
	tree.put("project/.tau/prompts/ours.md", "!`echo ran`");
	tree.put(".tau/agent/prompts/mine.md", "!`echo ran`");
	const untrusted = await load(tree);
	expect(await expandPrompt("/ours", untrusted)).toMatchObject({
		text: "!`echo ran`",
		notices: [expect.stringContaining("not trusted")],
	});
	expect(await expandPrompt("/mine", untrusted)).toMatchObject({ text: "ran", notices: [] });
	const trusted = await load(tree, { isTrusted: () => true });
	expect(await expandPrompt("/ours", trusted)).toMatchObject({ text: "ran", notices: [] });
});

test("a skill is called with its task, also one that is hidden from the model", async () => {
	using tree = plantTree();
	const path = tree.put("project/.claude/skills/pdf/SKILL.md", skillText("pdf", "d", "Use {{scripts}}."));
	const expansion = await expandPrompt("/skill:pdf extract a.pdf", await load(tree));
	expect(expansion).toMatchObject({ kind: "skill", name: "pdf" });
	const text = "text" in expansion ? expansion.text : "";
	expect(text).toContain(`<skill name="pdf" location="${path}">`);
	expect(text).toContain("Use {{scripts}}.");
	expect(text).not.toContain("description:");
	expect(text).toEndWith("</skill>\n\nUser: extract a.pdf");
	expect(await expandPrompt("/skill:pfd", await load(tree))).toEqual({
		kind: "refused",
		reason: 'There is no skill "pfd". Did you mean pdf?',
	});
	const without = await load(tree, { hasSkillCommands: false });
	expect(await expandPrompt("/skill:pdf", without)).toMatchObject({ kind: "plain" });
});

test("templates and skills that the user names take precedence, also without discovery", async () => {
	using tree = plantTree();
	tree.put("project/.tau/prompts/p.md", "Found.");
	tree.put("project/.tau/skills/s.md", skillText("s"));
	const named = { templatePaths: [tree.put("mine/p.md", "Named.")], skillPaths: ["~/mine/skills"] };
	tree.put("mine/skills/t/SKILL.md", skillText("t"));
	const all = await load(tree, named);
	expect(all.skills.map(({ name }) => name)).toEqual(["t", "s"]);
	expect(await expandPrompt("/p", all)).toMatchObject({ text: "Named." });
	const only = await load(tree, { ...named, withSkills: false, withTemplates: false });
	expect(only.skills.map(({ name }) => name)).toEqual(["t"]);
	expect(only.templates).toHaveLength(1);
});

test("the user is informed at startup only about unused files", async () => {
	using tree = plantTree();
	tree.put("project/.tau/skills/BAD/SKILL.md", skillText("BAD"));
	expect(resourceNotice(await load(tree))).toBeUndefined();
	const path = tree.put("project/.tau/skills/none/SKILL.md", "---\nname: none\n---\n");
	tree.put("project/.claude/skills/none/SKILL.md", "");
	expect(resourceNotice(await load(tree))).toMatch(
		new RegExp(`^Not used: ${path}.*and 1 more\\. Run tau doctor`),
	);
});
