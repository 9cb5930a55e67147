/** Resources that extensions provide are added to the discovered ones, and removed with the extension. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { addResources } from "./more-resources.ts";
import { loadResources, type Resources } from "./resources.ts";

let base = "";
beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "tau-more-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function skill(folder: string, name: string, description: string): string {
	mkdirSync(join(base, folder, name), { recursive: true });
	const head = `---\nname: ${name}\ndescription: ${description}\n---\n`;
	writeFileSync(join(base, folder, name, "SKILL.md"), head);
	return join(base, folder);
}

/** Only the named ones. */
function load(skillPaths: string[]): Promise<Resources> {
	return loadResources({
		cwd: base,
		env: { HOME: base },
		commandEnv: {},
		disabled: [],
		skillPaths,
		templatePaths: [],
		withSkills: false,
		withTemplates: false,
		hasSkillCommands: true,
		isTrusted: () => false,
	});
}

const reported = ({ skills }: Resources): string[] => skills.map((one) => `${one.name}: ${one.description}`);

test("discovered resources keep their names, and earlier provided ones are gone", async () => {
	const resources = await load([skill("found", "knots", "Found.")]);
	const { skills } = resources;
	const first = skill("first", "sails", "First.");
	skill("first", "knots", "Not used.");
	expect(addResources(resources, { skillPaths: [first], promptPaths: [] })).toBe(true);
	expect(reported(resources)).toEqual(["knots: Found.", "sails: First."]);
	// Existing references to the list see the change.
	expect(skills).toBe(resources.skills);
	const second = skill("second", "ropes", "Second.");
	expect(addResources(resources, { skillPaths: [second], promptPaths: [] })).toBe(true);
	expect(reported(resources)).toEqual(["knots: Found.", "ropes: Second."]);
	expect(addResources(resources, { skillPaths: [], promptPaths: [] })).toBe(true);
	expect(addResources(resources, { skillPaths: ["/no/such/place"], promptPaths: [] })).toBe(false);
	expect(reported(resources)).toEqual(["knots: Found."]);
});

test("templates can be provided too, by paths relative to the project or home", async () => {
	const resources = await load([]);
	mkdirSync(join(base, "prompts"));
	writeFileSync(join(base, "prompts/tie.md"), "Tie $1.");
	expect(addResources(resources, { skillPaths: [], promptPaths: ["prompts", "~/prompts"] })).toBe(false);
	expect(resources.templates.map(({ name }) => name)).toEqual(["tie"]);
});
