/** Skills and templates from the outside: what the model gets, how a call is expanded, and what `tau doctor` shows. */
import { symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { describe, expect, test } from "bun:test";

import { writeTestFile } from "../support/files.ts";
import { launch, type Launched } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

function writeFixture(tau: Launched, path: string, text: string): void {
	writeTestFile(join(dirname(tau.home), path), text);
}

function bodyOf(tau: Launched, at = 0): string {
	return tau.played.requests[at]?.rawBody ?? "";
}

const pdf = "---\nname: pdf\ndescription: Reads PDFs.\n---\nRun scripts/read.sh.\n";

describe("in print mode", () => {
	test("the model sees a skill of another program and can read it", async () => {
		const call = { toolCall: { name: "read", arguments: { path: "skill://pdf" } } };
		await using tau = await launch({ steps: [{ answer: { blocks: [call] } }, "Done."] });
		writeFixture(tau, "home/.claude/skills/pdf/SKILL.md", pdf);
		const { code, err } = await tau.run(["-p", "read a pdf", ...model]);
		expect([code, err]).toEqual([0, expect.any(String)]);
		expect(bodyOf(tau)).toContain("- pdf (~/.claude/skills/pdf/SKILL.md): Reads PDFs.");
		expect(bodyOf(tau)).not.toContain("scripts/read.sh");
		expect(bodyOf(tau, 1)).toContain("scripts/read.sh");
	});

	test("a template is expanded with its arguments, also after piped input", async () => {
		await using tau = await launch({ steps: ["One.", "Two."] });
		writeFixture(tau, "project/.tau/prompts/review.md", "---\ndescription: d\n---\nReview $1 with care.");
		await tau.run(["-p", "/review a.ts", "/review b.ts", ...model], { stdin: "some text" });
		expect(bodyOf(tau)).toContain("some text");
		expect(bodyOf(tau)).toContain("Review a.ts with care.");
		expect(bodyOf(tau, 1)).toContain("Review b.ts with care.");
	});

	test("an unknown skill is rejected before any request", async () => {
		await using tau = await launch({ steps: ["No."] });
		const { code, err } = await tau.run(["-p", "/skill:pdf", ...model]);
		expect(code).toBe(2);
		expect(err).toContain('There is no skill "pdf".');
		expect(tau.played.requests).toHaveLength(0);
	});

	test("flags and the setting disable skills", async () => {
		await using tau = await launch({ steps: ["1", "2", "3"] });
		writeFixture(tau, "home/.claude/skills/pdf/SKILL.md", pdf);
		writeFixture(tau, "own/SKILL.md", pdf.replaceAll("pdf", "own"));
		await tau.run(["-p", "hi", "--no-skills", "--skill", join(dirname(tau.home), "own"), ...model]);
		expect(bodyOf(tau)).toContain("- own (");
		expect(bodyOf(tau)).not.toContain("- pdf (");
		writeFixture(tau, "project/CLAUDE.md", "Be kind.");
		writeFileSync(join(tau.agentDir, "config.yml"), "discovery:\n  disabled: [claude]\n");
		await tau.run(["-p", "hi", ...model]);
		expect(bodyOf(tau, 1)).not.toMatch(/- pdf \(|Be kind/);
	});
});

describe("tau doctor", () => {
	test("lists what was found, from where, what shadows what, and what is disabled and why", async () => {
		await using tau = await launch({ steps: [] });
		writeFixture(tau, "project/.git/HEAD", "");
		writeFixture(tau, "project/.claude/skills/pdf/SKILL.md", pdf);
		writeFixture(tau, "home/.claude/skills/pdf/SKILL.md", pdf);
		writeFixture(tau, "project/.codex/prompts/plan.md", "Plan \u001b[2Jit.");
		writeFixture(tau, "project/.tau/extensions/x.ts", "export default () => {};");
		writeFixture(tau, "project/.mcp.json", '{"mcpServers":{"db":{"command":"npx","env":{"KEY":"hush"}}}}');
		writeFixture(tau, "project/.tau/skills/none/SKILL.md", "---\nname: none\n---\n");
		symlinkSync(join(tau.home, "nowhere"), join(tau.project, ".claude/skills/gone"));
		writeFileSync(join(tau.agentDir, "config.yml"), "discovery:\n  disabled: [codex, cluade]\n");
		const { code, out, err } = await tau.run(["doctor"]);
		// It is a problem of its own if git is missing.
		expect([code, err]).toEqual([Bun.which("git") === null ? 1 : 0, ""]);
		expect(out).toMatch(/pdf +claude +project .*project\/\.claude\/skills\/pdf\/SKILL\.md/);
		expect(out).toMatch(/pdf +claude +user +~\/\.claude.* \(shadowed by .*project\/\.claude/);
		expect(out).toMatch(/plan +codex +project .*\(disabled: codex\)/);
		expect(out).toMatch(/db +mcp-json +project .*npx/);
		expect(out).toContain("x.ts: belongs to the project, which is not trusted");
		expect(out).toContain("none/SKILL.md: the front matter has no description");
		expect(out).toContain('"cluade" matches no program');
		expect(out).not.toMatch(/hush|\u001b/);
	});

	test("prints the same as JSON", async () => {
		await using tau = await launch({ steps: [] });
		writeFixture(tau, "home/.claude/skills/pdf/SKILL.md", pdf);
		const { out } = await tau.run(["doctor", "--mode", "json"]);
		const report = JSON.parse(out);
		const skills = report.sections.find(({ id }: { id: string }) => id === "skills");
		expect(skills.rows).toEqual([
			{
				name: "pdf",
				about: "Reads PDFs.",
				source: "claude",
				level: "user",
				path: join(tau.home, ".claude/skills/pdf/SKILL.md"),
				state: "used",
			},
		]);
	});
});
