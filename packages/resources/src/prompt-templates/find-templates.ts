/** Finds prompt templates in a directory, and reads one when it is called. */
import { basename } from "node:path";

import { oneLine } from "@tau/utils";

import { errorLine } from "../discovery/error-line.ts";
import { parseDocument, textField } from "../discovery/frontmatter.ts";
import { limits as bounds } from "../discovery/limits.ts";
import { nothing, together, type Findings, type Origin, type Warning } from "../discovery/types.ts";
import { isInside, listFiles, readText, realOf, type Listed } from "../discovery/walk.ts";
import { limits } from "./limits.ts";
import type { PromptTemplate, TemplateFormat } from "./template.ts";

export interface TemplateDirectory extends Omit<Origin, "path"> {
	directory: string;
	/** How the files end: `.md`, `.prompt.md`, `.toml`. */
	ending: string;
	format: TemplateFormat;
	/** Whether folders below count, as a part of the name. */
	deep: boolean;
	/** The real path that must contain a project's templates, after links are resolved. */
	within?: string;
}

export function findTemplates(directory: TemplateDirectory): Findings<PromptTemplate> {
	const files = listFiles(directory.directory, { endings: [directory.ending], deep: directory.deep });
	return together(files.map((file) => describe(file, directory)));
}

/** Finds the templates in a file or a directory that the user named. */
export function findNamedTemplates(path: string, source: string): Findings<PromptTemplate> {
	const format: TemplateFormat = path.endsWith(".toml") ? "gemini" : "markdown";
	const place = { directory: path, ending: ".md", format, deep: false, source, level: "named" } as const;
	const [, name] = /^(.+)\.(?:md|toml)$/.exec(basename(path)) ?? [];
	if (name === undefined) return findTemplates(place);
	const findings = describe({ path, parts: [name] }, place);
	if (findings.items.length + findings.warnings.length > 0) return findings;
	return { items: [], warnings: [{ path, message: "file not found", isLeftOut: true }] };
}

export interface TemplateText {
	fields: Record<string, unknown>;
	body: string;
	problem?: { line?: number; message: string };
}

/** Undefined if the file is gone. */
export function readTemplate(
	path: string,
	format: TemplateFormat,
): TemplateText | { failure: string; line?: number } | undefined {
	const read = readText(path, bounds.documentBytes);
	if (!read) return undefined;
	if (!read.ok) return { failure: read.message };
	const { text } = read;
	if (format === "markdown") return parseDocument(text);
	try {
		const fields = { ...Bun.TOML.parse(text) } as Record<string, unknown>;
		const body = textField(fields, "prompt");
		return body === undefined ? { failure: "it has no string `prompt`" } : { fields, body };
	} catch (error) {
		const line = errorLine(text, Bun.TOML.parse);
		const failure = `it is not valid TOML: ${error instanceof Error ? error.message : String(error)}`;
		return { failure, ...(line === undefined ? {} : { line }) };
	}
}

function describe({ path, parts }: Listed, directory: TemplateDirectory): Findings<PromptTemplate> {
	if (directory.within !== undefined && leadsOut(path, directory.within))
		return leftOut(path, "it is a link that points outside the project");
	const read = readTemplate(path, directory.format);
	if (!read) return nothing();
	if ("failure" in read) return leftOut(path, read.failure, read.line);
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
		format: directory.format,
		origin: { source: directory.source, level: directory.level, path },
	};
	return { items: [template], warnings };
}

function firstLine(body: string): string {
	return body.split("\n").find((line) => line.trim() !== "") ?? "";
}

function leadsOut(path: string, within: string): boolean {
	const real = realOf(path);
	return real === undefined || !isInside(real, within);
}

function leftOut(path: string, message: string, line?: number): Findings<PromptTemplate> {
	const warning = { path, message, isLeftOut: true, ...(line === undefined ? {} : { line }) };
	return { items: [], warnings: [warning] };
}
