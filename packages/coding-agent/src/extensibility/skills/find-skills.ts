/** Finds the skills below a directory: every folder with a SKILL.md, and single files where the program allows them. */
import { basename, dirname, join, sep } from "node:path";

import { oneLine, stripControls } from "@tau/utils";

import { parseDocument, textField } from "../../discovery/frontmatter.ts";
import { limits as bounds } from "../../discovery/limits.ts";
import { nothing, together, type Findings, type Origin, type Warning } from "../../discovery/types.ts";
import { entriesOf, kindOf, mapBounded, readText, realOf } from "../../discovery/walk.ts";
import { limits } from "./limits.ts";
import { nameProblems, type Skill } from "./skill.ts";

export interface SkillPlace extends Omit<Origin, "path"> {
	directory: string;
	/** Whether a Markdown file directly in the directory is a skill. */
	rootFiles: boolean;
	/** Where skills of a project must really lie, whatever links say. */
	within?: string;
}

interface Candidate {
	file: string;
	/** The folder of the skill. */
	folder?: string;
}

export async function findSkills(place: SkillPlace): Promise<Findings<Skill>> {
	const candidates: Candidate[] = [];
	let left: number = bounds.directories;
	const visit = async (directory: string, depth: number): Promise<void> => {
		if (left-- <= 0) return;
		const entries = await entriesOf(directory);
		if (entries.some(({ name }) => name === "SKILL.md")) {
			candidates.push({ file: join(directory, "SKILL.md"), folder: directory });
			return;
		}
		for (const entry of entries) {
			const kind = await kindOf(entry, directory);
			const path = join(directory, entry.name);
			if (kind === "directory" && depth < bounds.depth && !(entry.isSymbolicLink() && (await isLoop(path))))
				await visit(path, depth + 1);
			if (kind === "file" && depth === 0 && place.rootFiles && entry.name.endsWith(".md"))
				candidates.push({ file: path });
		}
	};
	await visit(place.directory, 0);
	return together(await mapBounded(candidates, (candidate) => readSkill(candidate, place)));
}

/** A file or a folder that a person named. */
export async function findNamedSkills(path: string, source: string): Promise<Findings<Skill>> {
	const place = { directory: path, source, level: "named", rootFiles: true } as const;
	if (!path.endsWith(".md")) return findSkills(place);
	const folder = basename(path) === "SKILL.md" ? { folder: dirname(path) } : {};
	const found = await readSkill({ file: path, ...folder }, place);
	if (found.items.length + found.warnings.length > 0) return found;
	return leftOut(path, "there is no such file");
}

async function readSkill({ file, folder }: Candidate, place: SkillPlace): Promise<Findings<Skill>> {
	const way = await wayOut(file, folder, place.within);
	if (way !== undefined) return leftOut(file, way);
	const read = await readText(file, bounds.documentBytes);
	if (!read) return nothing();
	if (!read.ok) return leftOut(file, read.message);
	const { fields, problem } = parseDocument(stripControls(read.text));
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
			"the head has no description: without one nobody knows when to use the skill",
			warnings,
		);
	}
	if (textField(fields, "name") === undefined)
		warnings.push(warn(`the head has no name; "${fallback}" is used`));
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
		origin: { source: place.source, level: place.level, path: file },
	};
	return { items: [skill], warnings };
}

/** A link to a directory that it lies in would show the same skills again and again. */
async function isLoop(link: string): Promise<boolean> {
	const [target, from] = await Promise.all([realOf(link), realOf(dirname(link))]);
	return target !== undefined && from !== undefined && (from === target || isInside(from, target));
}

/** Why it may not be read: links are followed before it is judged. */
async function wayOut(
	file: string,
	folder: string | undefined,
	within: string | undefined,
): Promise<string | undefined> {
	const real = await realOf(file);
	const home = folder === undefined ? undefined : await realOf(folder);
	if (real === undefined) return "the link leads nowhere";
	if (home !== undefined && !isInside(real, home))
		return "the file is a link that leads out of the skill's folder";
	const root = within === undefined ? undefined : await realOf(within);
	if (root !== undefined && !isInside(real, root))
		return `it is a link that leads out of the project ${root}`;
	return undefined;
}

function isInside(path: string, directory: string): boolean {
	return path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

function leftOut(path: string, message: string, before: readonly Warning[] = []): Findings<Skill> {
	return { items: [], warnings: [...before, { path, message, isLeftOut: true }] };
}
