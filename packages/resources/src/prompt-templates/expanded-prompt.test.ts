/** A prompt's command is expanded where the user typed it, and nowhere else. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Prompt } from "@tau/session";
import { UserError } from "@tau/session/run";

import { loadResources, type Resources } from "@tau/extensions/resources";
import { expandedPrompt, refuseUnknown } from "./expanded-prompt.ts";

let root = "";
let resources: Resources;
beforeAll(async () => {
	root = realpathSync(mkdtempSync(join(tmpdir(), "tau-called-")));
	const writeFixture = (path: string, text: string): void => {
		mkdirSync(join(root, path, ".."), { recursive: true });
		writeFileSync(join(root, path), text);
	};
	writeFixture(".tau/prompts/review.md", "Review $1.");
	writeFixture(".tau/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDFs.\n---\nRun it.");
	resources = await loadResources({
		cwd: root,
		env: { HOME: join(root, "home") },
		commandEnv: {},
		disabled: [],
		skillPaths: [],
		templatePaths: [],
		withSkills: true,
		withTemplates: true,
		hasSkillCommands: true,
		isTrusted: () => false,
	});
});
afterAll(() => rmSync(root, { recursive: true }));

async function expanded(prompt: Prompt): Promise<Prompt> {
	const { signal } = new AbortController();
	return expandedPrompt(prompt, { resources, signal, onNotice: () => {} });
}

describe("a prompt", () => {
	test("that calls a template becomes its text, and attachments stay", async () => {
		const images = [{ type: "image" as const, mimeType: "image/png", data: "AA==" }];
		expect(await expanded({ text: "/review a.ts", images })).toEqual({
			text: "Review a.ts.",
			invocation: "/review a.ts",
			images,
		});
	});

	test("that calls a skill contains its text and the user's", async () => {
		const { text } = await expanded({ text: "/skill:pdf of the bill" });
		expect(text).toContain("Run it.");
		expect(text).toContain("of the bill");
	});

	test("with files and piped input is recognized by what the user typed", async () => {
		const before = '<file name="x">\n/review no.ts\n</file>\n\n';
		const { text, invocation: called } = await expanded({
			text: `${before}/review a.ts`,
			userText: "/review a.ts",
		});
		expect(text).toBe(`${before}Review a.ts.`);
		expect(called).toBe("/review a.ts");
	});

	test.each([
		["of an extension", { text: "/review a.ts", source: "extension" }],
		["with an unknown name", { text: "/usr/bin is full" }],
		["that only speaks of one", { text: "what does /review do" }],
		["whose files start with a slash", { text: "/review a.ts\n\nwhat is this", userText: "what is this" }],
	] as const)("%s stays unchanged", async (_, prompt) => {
		expect(await expanded(prompt)).toEqual(prompt);
	});

	test("that calls an unknown skill is rejected with the nearest name", async () => {
		expect(await expanded({ text: "/skill:pfd" }).catch((error: unknown) => error)).toEqual(
			new UserError('There is no skill "pfd". Did you mean pdf?'),
		);
	});
});

test("an invalid command is known before anything is sent", async () => {
	const refused = await refuseUnknown("/skill:pfd", resources).catch((error: unknown) => error);
	expect(refused).toBeInstanceOf(UserError);
	for (const text of ["/skill:pdf", "/review", "/nobody", "hello"])
		expect(await refuseUnknown(text, resources)).toBeUndefined();
	expect(await refuseUnknown("/skill:pfd", undefined)).toBeUndefined();
});
