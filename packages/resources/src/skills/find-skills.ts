/** Finds the skills below a directory: every folder with a SKILL.md, and single files where the program allows them. */
import { basename, dirname, join } from "node:path";

import { oneLine } from "@tau/utils";

import { parseDocument, textField } from "../discovery/frontmatter.ts";
import { limits as bounds } from "../discovery/limits.ts";
import { nothing, together, type Findings, type Origin, type Warning } from "../discovery/types.ts";
import { entriesOf, isInside, isLoop, kindOf, readText, realOf } from "../discovery/walk.ts";
import { limits } from "./limits.ts";
import { nameProblems, type Skill } from "./skill.ts";

export interface SkillDirectory extends Omit<Origin, "path"> {
	directory: string;
	/** Whether a Markdown file directly in the directory is a skill. */
	rootFiles: boolean;
	/** The real path that must contain a project's skills, after links are resolved. */
	within?: string;
}

interface Candidate {
	file: string;
	/** The folder of the skill. */
	folder?: string;
	/** Whether the file itself is a link. */
	isLink: boolean;
}

export function findSkills(location: SkillDirectory): Findings<Skill> {
	const candidates: Candidate[] = [];
	let left: number = bounds.directories;
	const visit = (directory: string, depth: number): void => {
		if (left-- <= 0) return;
		const entries = entriesOf(directory);
		const main = entries.find(({ name }) => name === "SKILL.md");
		if (main) {
			const file = join(directory, "SKILL.md");
			candidates.push({ file, folder: directory, isLink: main.isSymbolicLink() });
			return;
		}
		for (const entry of entries) {
			const kind = kindOf(entry, directory);
			const path = join(directory, entry.name);
			if (kind === "directory" && depth < bounds.depth && !isLoop(entry, directory)) visit(path, depth + 1);
			if (kind === "file" && depth === 0 && location.rootFiles && entry.name.endsWith(".md"))
				candidates.push({ file: path, isLink: entry.isSymbolicLink() });
		}
	};
	visit(location.directory, 0);
	return together(candidates.map((candidate) => readSkill(candidate, location)));
}

/** Finds the skills in a file or a folder that the user named. */
export function findNamedSkills(path: string, source: string): Findings<Skill> {
	const place = { directory: path, source, level: "named", rootFiles: true } as const;
	if (!path.endsWith(".md")) return findSkills(place);
	const folder = basename(path) === "SKILL.md" ? { folder: dirname(path) } : {};
	const findings = readSkill({ file: path, ...folder, isLink: true }, place);
	if (findings.items.length + findings.warnings.length > 0) return findings;
	return leftOut(path, "file not found");
}

function readSkill(candidate: Candidate, directory: SkillDirectory): Findings<Skill> {
	const { file, folder } = candidate;
	const way = wayOut(candidate, directory.within);
	if (way !== undefined) return leftOut(file, way);
	const read = readText(file, bounds.documentBytes);
	if (!read) return nothing();
	if (!read.ok) return leftOut(file, read.message);
	const { fields, problem } = parseDocument(read.text);
	const fallback = folder === undefined ? basename(file, ".md") : basename(folder);
	const name = textField(fields, "name") ?? fallback;
	const description = textField(fields, "description");
	const warn = (message: string, line?: number): Warning => ({
		path: file,
		message,
		isLeftOut: false,
		...(line === undefined ? {} : { line }),
	});
	const warnings = problem ? [warn(problem.message, problem.line)] : [];
	if (description === undefined) {
		// Single files beside skills are mostly a README.
		if (folder === undefined && Object.keys(fields).length === 0) return nothing();
		return leftOut(
			file,
			"the front matter has no description, which the model needs to know when to use the skill",
			warnings,
		);
	}
	if (textField(fields, "name") === undefined)
		warnings.push(warn(`the front matter has no name; using "${fallback}"`));
	warnings.push(...nameProblems(name).map((message) => warn(message)));
	if (description.length > limits.descriptionChars)
		warnings.push(
			warn(
				`the description has ${description.length} characters; the first ${limits.descriptionChars} are used`,
			),
		);
	const skill: Skill = {
		name: oneLine(name, limits.nameChars),
		description: oneLine(description, limits.descriptionChars),
		path: file,
		...(folder === undefined ? {} : { directory: folder }),
		isHidden: fields["disable-model-invocation"] === true,
		origin: { source: directory.source, level: directory.level, path: file },
	};
	return { items: [skill], warnings };
}

/** Why it may not be read: links are followed before it is judged. */
function wayOut({ file, folder, isLink }: Candidate, within: string | undefined): string | undefined {
	if (!isLink && within === undefined) return undefined;
	const real = realOf(file);
	if (real === undefined) return "the link is broken";
	const home = isLink && folder !== undefined ? realOf(folder) : undefined;
	if (home !== undefined && !isInside(real, home))
		return "the file is a link that points outside the skill's folder";
	if (within !== undefined && !isInside(real, within))
		return `it is a link that points outside the project ${within}`;
	return undefined;
}

function leftOut(path: string, message: string, before: readonly Warning[] = []): Findings<Skill> {
	return { items: [], warnings: [...before, { path, message, isLeftOut: true }] };
}
