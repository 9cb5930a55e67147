/** Parses the source of a package as the user writes it: `npm:name@1.2`, `git:github.com/user/repo@v1`, `./path`. */
import { basename, isAbsolute, resolve } from "node:path";

import { expandHome } from "@tau/utils";

import { limits } from "./limits.ts";

export type PackageSource =
	| { kind: "npm"; name: string; range?: string }
	| { kind: "git"; url: string; ref?: string; host: string; path: string }
	| { kind: "path"; path: string };

/** `undefined`: the package's defaults; `"*"`: all; else exactly these. */
export type FeatureChoice = "*" | readonly string[] | undefined;

export type ReadSource =
	{ ok: true; source: PackageSource; features: FeatureChoice } | { ok: false; reason: string };

export interface SourceLocation {
	/** What relative paths count from. */
	cwd: string;
	home: string;
}

/** No shell is ever used, and still: a name with shell syntax is not a package. */
const oddCharacters = /[\s;&|`$(){}<>\\"'*?!\0-\x1f\x7f]/;

export function readSource(text: string, location: SourceLocation): ReadSource {
	if (text.length > limits.sourceChars) return refuse(`The source has ${text.length} characters.`);
	const split = splitFeatures(text.trim());
	if (!split.ok) return split;
	const { bare, features } = split;
	const source = readBare(bare, location);
	return source.ok ? { ok: true, source: source.source, features } : source;
}

type ReadBare = { ok: true; source: PackageSource } | { ok: false; reason: string };

function readBare(text: string, { cwd, home }: SourceLocation): ReadBare {
	if (text === "") return refuse("No source given. Use npm:name, git:host/user/repo or ./path.");
	if (isPath(text)) return { ok: true, source: { kind: "path", path: resolve(cwd, expandHome(text, home)) } };
	if (oddCharacters.test(text))
		return refuse(`"${text}" contains characters that are not allowed in a package name.`);
	if (text.startsWith("npm:")) return readNpm(text.slice("npm:".length));
	if (text.startsWith("github:")) return readGit(`github.com/${text.slice("github:".length)}`);
	if (text.startsWith("git:") && !text.startsWith("git://")) return readGit(text.slice("git:".length));
	if (/^(?:https?|ssh|git|file):\/\//i.test(text)) return readGit(text);
	if (/^[a-z][a-z0-9+.-]*:/i.test(text))
		return refuse(`"${text}" is not a known kind of source. Use npm:, git: or a path.`);
	return readNpm(text);
}

function isPath(text: string): boolean {
	return /^(?:\.{1,2}|~)?\//.test(text) || text === "." || text === ".." || isAbsolute(text);
}

/** The brackets at the end: `[*]`, `[]`, `[a,b]`. */
function splitFeatures(
	text: string,
): { ok: true; bare: string; features: FeatureChoice } | { ok: false; reason: string } {
	const [, bare = text, inner] = /^(.*?)\[([^[\]]*)\]$/s.exec(text) ?? [];
	if (/[[\]]/.test(bare)) return refuse(`"${text}" has unbalanced brackets. Use name[feature,feature].`);
	if (inner === undefined) return { ok: true, bare, features: undefined };
	const words = inner.split(",").map((word) => word.trim());
	if (words.length === 1 && words[0] === "*") return { ok: true, bare, features: "*" };
	const names = words.filter((word) => word !== "");
	const odd = names.find((name) => !/^[\w.:-]+$/.test(name));
	if (odd !== undefined) return refuse(`"${odd}" is not a valid feature name.`);
	return { ok: true, bare, features: [...new Set(names)] };
}

function readNpm(text: string): ReadBare {
	const at = text.indexOf("@", 1);
	const name = at < 0 ? text : text.slice(0, at);
	const range = at < 0 ? "" : text.slice(at + 1);
	const problem = nameProblem(name);
	if (problem !== undefined) return refuse(problem);
	if (at >= 0 && !/^[\w.^~+-]+$/.test(range)) return refuse(`"${range}" is not a valid version of ${name}.`);
	return { ok: true, source: { kind: "npm", name, ...(range === "" ? {} : { range }) } };
}

/** What is wrong with a name; it becomes a part of paths and addresses. */
export function nameProblem(name: string): string | undefined {
	if (name.length > limits.nameChars) return `The name has ${name.length} characters.`;
	if (!/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i.test(name))
		return `"${name}" is not a valid package name.`;
	return undefined;
}

function readGit(text: string): ReadBare {
	const scheme = /^([a-z]+):\/\//i.exec(text)?.[0] ?? "";
	const rest = text.slice(scheme.length);
	const { address, ref } = splitRef(rest, scheme === "" ? /[/:]/ : /\//);
	if (ref !== undefined && !/^(?!.*\.\.)\w[\w./+-]*$/.test(ref))
		return refuse(`"${ref}" is not a branch, tag or commit.`);
	const where = scheme === "" ? readShortAddress(address) : readUrl(scheme, address);
	if (!where.ok) return where;
	const { url, host, path } = where;
	return { ok: true, source: { kind: "git", url, host, path, ...(ref === undefined ? {} : { ref }) } };
}

/** The `@` of `user@host` comes before the end of the host; the `@` of a ref comes after it. */
function splitRef(rest: string, hostEnd: RegExp): { address: string; ref?: string } {
	const [before = "", fragment] = rest.split("#", 2);
	if (fragment !== undefined && fragment !== "") return { address: before, ref: fragment };
	const host = before.search(hostEnd);
	const at = before.lastIndexOf("@");
	if (host < 0 || at <= host) return { address: before };
	return { address: before.slice(0, at), ref: before.slice(at + 1) };
}

type Where = { ok: true; url: string; host: string; path: string } | { ok: false; reason: string };

/** `github.com/user/repo`, or `git@github.com:user/repo` as ssh has it. */
function readShortAddress(address: string): Where {
	const [, user, host, path] = /^(?:([\w.-]+)@)?([\w.-]+):(?!\/)(.+)$/.exec(address) ?? [];
	if (user !== undefined && host !== undefined && path !== undefined)
		return located(`${user}@${host}:${path}`, host, path);
	const [, shortHost, shortPath] = /^([\w-]+(?:\.[\w-]+)+(?::\d+)?)\/(.+)$/.exec(address) ?? [];
	if (shortHost === undefined || shortPath === undefined)
		return refuse(`"${address}" is not a repository. Use git:host/user/repo.`);
	return located(`https://${shortHost}/${shortPath}`, shortHost, shortPath);
}

function readUrl(scheme: string, address: string): Where {
	const text = scheme.toLowerCase() + address;
	if (!URL.canParse(text)) return refuse(`"${text}" is not a URL.`);
	const { protocol, host, pathname, username, password } = new URL(text);
	const isWeb = protocol === "http:" || protocol === "https:";
	if (password !== "" || (isWeb && username !== ""))
		return refuse("The URL contains a password. Remove it: git asks its credential helper for one.");
	return located(text, host === "" ? "localhost" : host, pathname);
}

function located(url: string, host: string, path: string): Where {
	const plain = path.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "");
	const parts = plain.split("/");
	if (
		plain === "" ||
		parts.some((part) => part === "" || part === "." || part === ".." || part.startsWith("-"))
	)
		return refuse(`"${url}" does not name a repository.`);
	return { ok: true, url, host: host.toLowerCase(), path: plain };
}

/** The same for two ways to write one package: without a version or a ref. */
export function identityOf(source: PackageSource): string {
	switch (source.kind) {
		case "npm":
			return `npm:${source.name}`;
		case "git":
			return `git:${source.host}/${source.path}`;
		case "path":
			return `path:${source.path}`;
	}
}

/** The text form, which can be parsed again. */
export function sourceText(source: PackageSource): string {
	switch (source.kind) {
		case "npm":
			return `npm:${source.name}${source.range === undefined ? "" : `@${source.range}`}`;
		case "git":
			return `git:${source.url}${source.ref === undefined ? "" : `@${source.ref}`}`;
		case "path":
			return source.path;
	}
}

/** Sources that an update leaves unchanged. */
export function isPinned(source: PackageSource): boolean {
	if (source.kind === "npm") return source.range !== undefined && /^v?\d+\.\d+\.\d+/.test(source.range);
	return source.kind === "git" && source.ref !== undefined;
}

/** The name of a package that does not declare one. */
export function fallbackName(source: PackageSource): string {
	if (source.kind === "npm") return source.name;
	const plain = basename(source.path).replaceAll(/[^\w.~-]+/g, "-");
	return plain.replace(/^[._]+/, "") || "package";
}

function refuse(reason: string): { ok: false; reason: string } {
	return { ok: false, reason };
}
