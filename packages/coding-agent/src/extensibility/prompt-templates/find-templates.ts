/** Finds prompt templates in a directory, and reads one when it is called. */
import { basename, sep } from "node:path";

import { oneLine, stripControls } from "@tau/utils";

import { parseDocument, textField } from "../../discovery/frontmatter.ts";
import { limits as bounds } from "../../discovery/limits.ts";
import { nothing, together, type Findings, type Origin, type Warning } from "../../discovery/types.ts";
import { listFiles, mapBounded, readText, realOf, type Listed } from "../../discovery/walk.ts";
import { limits } from "./limits.ts";
import type { PromptTemplate, TemplateFormat } from "./template.ts";

export interface TemplatePlace extends Omit<Origin, "path"> {
	directory: string;
	/** How the files end: `.md`, `.prompt.md`, `.toml`. */
	ending: string;
	format: TemplateFormat;
	/** Whether folders below count, as a part of the name. */
	deep: boolean;
	/** Where templates of a project must really lie, whatever links say. */
	within?: string;
}

export async function findTemplates(place: TemplatePlace): Promise<Findings<PromptTemplate>> {
	const files = await listFiles(place.directory, { endings: [place.ending], deep: place.deep });
	return together(await mapBounded(files, (file) => describe(file, place)));
}

/** A file or a directory that a person named. */
export async function findNamedTemplates(path: string, source: string): Promise<Findings<PromptTemplate>> {
	const format: TemplateFormat = path.endsWith(".toml") ? "gemini" : "markdown";
	const place = { directory: path, ending: ".md", format, deep: false, source, level: "named" } as const;
	const [, name] = /^(.+)\.(?:md|toml)$/.exec(basename(path)) ?? [];
	if (name === undefined) return findTemplates(place);
	const found = await describe({ path, parts: [name] }, place);
	if (found.items.length + found.warnings.length > 0) return found;
	return { items: [], warnings: [{ path, message: "there is no such file", isLeftOut: true }] };
}

export interface TemplateText {
	fields: Record<string, unknown>;
	body: string;
	problem?: { line?: number; message: string };
}

/** Nothing where the file is gone. */
export async function readTemplate(
	path: string,
	format: TemplateFormat,
): Promise<TemplateText | { failure: string } | undefined> {
	const read = await readText(path, bounds.documentBytes);
	if (!read) return undefined;
	if (!read.ok) return { failure: read.message };
	const text = stripControls(read.text);
	if (format === "markdown") return parseDocument(text);
	try {
		const fields = { ...Bun.TOML.parse(text) } as Record<string, unknown>;
		const body = textField(fields, "prompt");
		return body === undefined ? { failure: "it has no text `prompt`" } : { fields, body };
	} catch (error) {
		return { failure: `it is not TOML: ${error instanceof Error ? error.message : String(error)}` };
	}
}

async function describe({ path, parts }: Listed, place: TemplatePlace): Promise<Findings<PromptTemplate>> {
	if (place.within !== undefined && (await leadsOut(path, place.within)))
		return leftOut(path, "it is a link that leads out of the project");
	const read = await readTemplate(path, place.format);
	if (!read) return nothing();
	if ("failure" in read) return leftOut(path, read.failure);
	const { fields, body, problem } = read;
	const warnings: Warning[] = problem ? [{ path, ...problem, isLeftOut: false }] : [];
	const name = parts.map((part) => part.replaceAll(/\s+/g, "-")).join(":");
	const hint = fields["argument-hint"];
	// `[file] [line]` without quotes is a list to YAML.
	const argumentHint = Array.isArray(hint) ? `[${hint.join("] [")}]` : textField(fields, "argument-hint");
	const template: PromptTemplate = {
		name,
		description: oneLine(textField(fields, "description") ?? firstLine(body), limits.descriptionChars),
		...(argumentHint === undefined ? {} : { argumentHint: oneLine(argumentHint, limits.descriptionChars) }),
		path,
		format: place.format,
		origin: { source: place.source, level: place.level, path },
	};
	return { items: [template], warnings };
}

function firstLine(body: string): string {
	return body.split("\n").find((line) => line.trim() !== "") ?? "";
}

async function leadsOut(path: string, within: string): Promise<boolean> {
	const [real, root] = await Promise.all([realOf(path), realOf(within)]);
	return real === undefined || root === undefined || !real.startsWith(root.endsWith(sep) ? root : root + sep);
}

function leftOut(path: string, message: string): Findings<PromptTemplate> {
	return { items: [], warnings: [{ path, message, isLeftOut: true }] };
}
