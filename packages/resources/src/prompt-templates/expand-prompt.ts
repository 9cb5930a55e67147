/** Expands `/name …` to the prompt template of that name, and `/skill:name …` to the skill; other text is unchanged. */
import { stripControls, type Env, fill } from "@tau/utils";

import { parseDocument } from "../discovery/frontmatter.ts";
import { limits as bounds } from "../discovery/limits.ts";
import { readText } from "../discovery/walk.ts";
import skillCalled from "./skill-called.md" with { type: "text" };
import { unknownSkill, type Skill } from "../skills/index.ts";
import { builtinPrompts } from "./builtin.ts";
import { fillTemplate } from "./fill-template.ts";
import { readTemplate } from "./find-templates.ts";
import type { PromptTemplate } from "./template.ts";

export type Expansion =
	/** The text is a plain prompt of the user, without a call. */
	| { kind: "plain"; text: string }
	| { kind: "template" | "skill"; name: string; text: string; notices: string[] }
	/** It is a call of ours that cannot be expanded. */
	| { kind: "refused"; reason: string };

const skillPrefix = "skill:";

/** What a prompt can call by name, and what a called template may do. */
export interface CallableResources {
	readonly cwd: string;
	/** The root of the project. */
	readonly root: string;
	readonly home: string;
	/** What commands in templates are run with. */
	readonly env: Env;
	readonly skills: readonly Skill[];
	readonly templates: readonly PromptTemplate[];
	/** Whether `/skill:name` calls a skill. */
	readonly hasSkillCommands: boolean;
	/** Whether the project's own templates may run commands and put in files. */
	isTrusted(): boolean;
}

export async function expandPrompt(
	text: string,
	resources: CallableResources,
	signal: AbortSignal = new AbortController().signal,
): Promise<Expansion> {
	const { name, rest } = callIn(text);
	if (name === undefined) return { kind: "plain", text };
	if (name.startsWith(skillPrefix) && resources.hasSkillCommands)
		return callSkill(name.slice(skillPrefix.length), rest, resources);
	const template = findTemplate(name, resources.templates);
	if (template) return callTemplate(template, rest, resources, signal);
	const builtin = builtinPrompts.find((prompt) => prompt.name === name);
	if (!builtin) return { kind: "plain", text };
	const filled = [builtin.text, rest.trim()].filter(Boolean).join("\n\n");
	return { kind: "template", name: builtin.name, text: filled, notices: [] };
}

/** Why what is called cannot be: a skill that is not there. Nothing is read for it. */
export function unknownCall(
	text: string,
	{ skills, hasSkillCommands }: CallableResources,
): string | undefined {
	const { name } = callIn(text);
	if (!hasSkillCommands || !name?.startsWith(skillPrefix)) return undefined;
	const called = name.slice(skillPrefix.length);
	return skills.some((skill) => skill.name === called) ? undefined : unknownSkill(called, skills);
}

function callIn(text: string): { name: string | undefined; rest: string } {
	const [, name, rest = ""] = /^\s*\/(\S+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
	return { name, rest };
}

/** By its whole name; by its last part alone where no other has the same. */
function findTemplate(name: string, templates: readonly PromptTemplate[]): PromptTemplate | undefined {
	const whole = name.replaceAll("/", ":");
	const exact = templates.find((template) => template.name === whole);
	if (exact || whole.includes(":")) return exact;
	const [only, other] = templates.filter((template) => template.name.endsWith(`:${name}`));
	return other ? undefined : only;
}

async function callTemplate(
	template: PromptTemplate,
	rest: string,
	resources: CallableResources,
	signal: AbortSignal,
): Promise<Expansion> {
	const { name, path, format, origin } = template;
	const read = readTemplate(path, format);
	if (!read) return { kind: "refused", reason: `/${name}: ${path} no longer exists.` };
	if ("failure" in read) return { kind: "refused", reason: `/${name}: ${path}: ${read.failure}` };
	const { cwd, env, home, root } = resources;
	const isOwn = origin.level !== "project";
	const roots = isOwn ? [root, home] : [root];
	const isAllowed = isOwn || resources.isTrusted();
	const inline = { cwd, env, home, roots, signal };
	const filled = await fillTemplate({
		body: stripControls(read.body),
		format,
		rest,
		...(isAllowed ? { inline } : {}),
	});
	const notices = filled.problems.map((problem) => `/${name}: ${problem}`);
	if (filled.untouched > 0)
		notices.push(
			`/${name}: its commands and file references were not expanded, because the project is not trusted.`,
		);
	return { kind: "template", name, text: filled.text, notices };
}

function callSkill(name: string, rest: string, { skills }: CallableResources): Expansion {
	const skill = skills.find((one) => one.name === name);
	if (!skill) return { kind: "refused", reason: unknownSkill(name, skills) };
	const { path, directory } = skill;
	const read = readText(path, bounds.documentBytes);
	if (!read?.ok)
		return {
			kind: "refused",
			reason: `/skill:${name}: ${path} ${read ? read.message : "no longer exists"}.`,
		};
	const { body } = parseDocument(stripControls(read.text));
	const message = rest.trim();
	const text = fill(skillCalled, {
		name,
		path,
		base: directory === undefined ? "" : `\nPaths in it are relative to ${directory}.\n`,
		body: body.trim(),
	});
	return { kind: "skill", name, text: message === "" ? text : `${text}\n\nUser: ${message}`, notices: [] };
}
