/**
 * Files that programs of the user read by themselves at the prompt of a shell, in whatever directory it is: versions of tools,
 * settings of mise, a `.envrc`; and that vim, irb and pry run where they are started. What they may say is described: whatever else is
 * in one may choose or name a program.
 */
import { basename } from "node:path";

import { isMiseDirectory, isMiseSettings } from "./mise-files.ts";

/** Their names, also those that count in some directories only. */
const names =
	/^(?:\.[\w-]+[-.]versions?|\.(?:nvm|yvm|sdkman)rc|rust-toolchain(?:\.toml)?|\.prototools|\.?pkgx\.ya?ml|package\.json|\.envrc|\.env|[._](?:ex|g?vim)rc|\.(?:nvim|irb|pry)rc|\.nvim\.lua|\.?mise(?:rc)?(?:\.[\w-]+)*\.toml)$/i;
const innerDirectory = /\/(?:\.?mise|conf\.d|\.shadowenv\.d)$/i;
const linkNames = /^(?:\.?mise|conf\.d|\.shadowenv\.d)$/i;
/** Called for each entry of each directory of a project. `more`: names that the user's settings add. */
export function promptNamesIn(
	directory: string,
	more?: ReadonlySet<string>,
): (name: string, isLink: boolean) => boolean {
	const isInner = innerDirectory.test(directory);
	return (name, isLink) =>
		names.test(name) ||
		more?.has(name) === true ||
		(isInner && isRead(`${directory}/${name}`)) ||
		(isLink && linkNames.test(name) && isDirectoryName(`${directory}/${name}`));
}

function isRead(path: string): boolean {
	return isMiseSettings(path) || /\/\.shadowenv\.d\/[^/]+\.lisp$/i.test(path);
}

function isDirectoryName(path: string): boolean {
	return isMiseDirectory(path) || basename(path).toLowerCase() === ".shadowenv.d";
}

/** Whether a file of this name, which a command has written, names no program: a version leads to no path. */
export function isPlain(path: string, text: string): boolean {
	const name = basename(path).toLowerCase();
	if (isMiseSettings(path)) return isPlainToml(text, { "": /^min_version$/, tools: anyKey });
	if (name === ".prototools") return isPlainToml(text, { "": anyKey });
	if (name === "rust-toolchain.toml") return isPlainToml(text, rustTables);
	if (name === "rust-toolchain") return areLines(text, versions) || isPlainToml(text, rustTables);
	if (name === "package.json") return isPlainPackage(text);
	if (name === ".tool-versions") return areLines(text, tools);
	if (name === ".sdkmanrc") return areLines(text, assignment);
	return /^\.(?:[\w-]+[-.]versions?|nvmrc|yvmrc)$/.test(name) && areLines(text, versions);
}

const version = String.raw`(?:[~^<>=]{0,2}\w[\w.+*@-]*|lts/[\w*-]+|\*)`;
const comment = String.raw`(?:#[\t\x20-\x7a|~\u00a0-\u2027\u202a-\ufffc]*)?`;
const versions = new RegExp(`^\\s*(?:${version}(?:[ \\t]+${version})*[ \\t]*)?${comment}\\r?$`);
const tools = new RegExp(`^\\s*(?:[\\w.-]+(?:[ \\t]+${version})+[ \\t]*)?${comment}\\r?$`);
const assignment = new RegExp(`^\\s*(?:[\\w.-]+=${version}[ \\t]*)?${comment}\\r?$`);

function areLines(text: string, line: RegExp): boolean {
	return text.length <= mostChars && text.split("\n").every((each) => line.test(each));
}

/** Such a file has some lines. */
const mostChars = 64 * 1024;

/** Keys that may be in a table, by its name. */
type Tables = Readonly<Record<string, RegExp>>;

const anyKey = /^(?:[\w-]+|"[\w-]+")$/;
const rustTables: Tables = { toolchain: /^(?:channel|profile|components|targets)$/ };
const quoted = `(?:"${version}"|'${version}')`;
const items = `(?:${quoted}[ \\t]*(?:,[ \\t]*)?)*`;
const tomlTable = new RegExp(`^\\[(\\w+)\\][ \\t]*${comment}$`);
const tomlKey = new RegExp(
	`^([\\w"-]+)[ \\t]*=[ \\t]*(?:${quoted}|\\[[ \\t]*${items}\\]?)[ \\t]*${comment}$`,
);
const tomlItems = new RegExp(`^${items}\\]?[ \\t]*${comment}$`);

/** Line by line, so that every reader of TOML reads the same. */
function isPlainToml(text: string, tables: Tables): boolean {
	let table = "";
	return (
		text.length <= mostChars &&
		text.split("\n").every((each) => {
			const line = each.trim();
			if (tomlItems.test(line)) return true;
			const [, name] = tomlTable.exec(line) ?? [];
			if (name !== undefined) table = name;
			const keys = tables[table];
			if (keys === undefined || name !== undefined) return keys !== undefined;
			return keys.test(tomlKey.exec(line)?.[1] ?? "");
		})
	);
}

/** mise takes versions of Node and of package managers from it, also behind a byte order mark. */
function isPlainPackage(text: string): boolean {
	try {
		const json: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
		const { packageManager = "", devEngines = {} } = Object(json) as Record<string, unknown>;
		return [packageManager, devEngines].flatMap(stringsOf).every((each) => /^[\w.+*@^~<>=| -]*$/.test(each));
	} catch {
		// A command may be writing it. What another program may read of it names no version.
		return !/packageManager|devEngines|\\u/i.test(text);
	}
}

function stringsOf(value: unknown): string[] {
	if (typeof value === "string") return [value];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
