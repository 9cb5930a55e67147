/** pi's functions for skills: finding them, and their part of the system prompt. */
import { basename, dirname, join, resolve } from "node:path";

import { expandHome } from "@tau/utils";
import type { SourceInfo } from "@tau/extensions/api";
import type { Warning } from "@tau/resources/discovery";
import { findNamedSkills, findSkills, type Skill as OurSkill } from "@tau/resources/skills";

import { ownAgentDir } from "../support/directories.ts";
import skillsHead from "./skills-for-prompt.md" with { type: "text" };

export interface Skill {
	name: string;
	description: string;
	filePath: string;
	baseDir: string;
	sourceInfo: SourceInfo;
	disableModelInvocation: boolean;
}

export interface ResourceDiagnostic {
	type: "warning" | "error";
	message: string;
	path?: string;
}

export interface LoadSkillsResult {
	skills: Skill[];
	diagnostics: ResourceDiagnostic[];
}

export function loadSkillsFromDir({ dir, source }: { dir: string; source: string }): LoadSkillsResult {
	const { items, warnings } = findSkills({ directory: dir, source, level: "named", rootFiles: true });
	return { skills: items.map(asPis), diagnostics: warnings.map(diagnosticOf) };
}

export interface LoadSkillsOptions {
	cwd?: string;
	agentDir?: string;
	skillPaths?: readonly string[];
	/** Whether the directories of the user and the project are searched; true by default. */
	includeDefaults?: boolean;
}

/** The first of a name is used. */
export function loadSkills(options: LoadSkillsOptions = {}): LoadSkillsResult {
	const { cwd = process.cwd(), skillPaths = [], includeDefaults = true } = options;
	const agentDir = ownAgentDir(options.agentDir);
	const places = includeDefaults
		? [
				{ directory: join(agentDir, "skills"), source: "user", level: "user" as const, rootFiles: true },
				...[".tau", ".omp", ".pi"].map((name) => ({
					directory: join(cwd, name, "skills"),
					source: "project",
					level: "project" as const,
					rootFiles: true,
					within: cwd,
				})),
			]
		: [];
	const findings = [
		...places.map(findSkills),
		...skillPaths.map((path) => findNamedSkills(resolve(cwd, expandHome(path)), "path")),
	];
	const byName = new Map<string, Skill>();
	const diagnostics = findings.flatMap(({ warnings }) => warnings.map(diagnosticOf));
	for (const skill of findings.flatMap(({ items }) => items.map(asPis))) {
		const first = byName.get(skill.name);
		if (!first) byName.set(skill.name, skill);
		else if (first.filePath !== skill.filePath)
			diagnostics.push({
				type: "warning",
				message: `the name "${skill.name}" is taken by ${first.filePath}`,
				path: skill.filePath,
			});
	}
	return { skills: [...byName.values()], diagnostics };
}

export function asPis({ name, description, path, directory, isHidden, origin }: OurSkill): Skill {
	const baseDir = directory ?? dirname(path);
	const scope = origin.level === "project" || origin.level === "user" ? origin.level : "temporary";
	return {
		name,
		description,
		filePath: path,
		baseDir,
		sourceInfo: { path, source: origin.source, scope, origin: "top-level", baseDir },
		disableModelInvocation: isHidden,
	};
}

export function asOurs({ name, description, filePath, baseDir, disableModelInvocation }: Skill): OurSkill {
	return {
		name,
		description,
		path: filePath,
		...(basename(filePath) === "SKILL.md" ? { directory: baseDir } : {}),
		isHidden: disableModelInvocation ?? false,
		origin: { source: "extension", level: "named", path: filePath },
	};
}

export function diagnosticOf({ path, message }: Warning): ResourceDiagnostic {
	return { type: "warning", message, path };
}

/** In the Agent Skills format, for a system prompt; empty if all are hidden from the model. */
export function formatSkillsForPrompt(skills: readonly Skill[]): string {
	const shown = skills.filter(({ disableModelInvocation }) => !disableModelInvocation);
	if (shown.length === 0) return "";
	const rows = shown.flatMap(({ name, description, filePath }) => [
		"  <skill>",
		`    <name>${escaped(name)}</name>`,
		`    <description>${escaped(description)}</description>`,
		`    <location>${escaped(filePath)}</location>`,
		"  </skill>",
	]);
	return ["", skillsHead.trim(), "", "<available_skills>", ...rows, "</available_skills>"].join("\n");
}

function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export interface ParsedSkillBlock {
	name: string;
	location: string;
	content: string;
	userMessage: string | undefined;
}

/** What a message holds of a skill that was called by name; null where it holds none. */
export function parseSkillBlock(text: string): ParsedSkillBlock | null {
	const block = /^<skill name="([^"]*)" location="([^"]*)">\n?([^]*?)\n<\/skill>(?:\s*\n([^]*))?$/.exec(text);
	if (!block) return null;
	const [, name = "", location = "", content = "", message] = block;
	return { name, location, content, userMessage: message?.trim() || undefined };
}
