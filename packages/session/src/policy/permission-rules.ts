/** Permission rules as Claude Code writes them: `Bash(git status:*)`, `Read(./secrets/**)`, `WebFetch(domain:x.org)`, names. */
import { matchesRule, parseCommandRule, type CommandRule, type ProgramRun } from "@tau/sys/commands";
import { resolve } from "node:path";

import { realPath } from "./real-path.ts";

export type RuleList = "allow" | "ask" | "deny";

export interface PermissionRule {
	readonly list: RuleList;
	/** As the user wrote it. */
	readonly text: string;
	/** The file that it is from, or what else set it. */
	readonly source: string;
	readonly subject: RuleSubject;
}

type RuleSubject =
	| { readonly kind: "tool"; readonly name: string }
	/** Without a rule, every command. */
	| { readonly kind: "run"; readonly rule: CommandRule | undefined }
	| { readonly kind: "read" | "write"; readonly pattern: PathPattern | undefined }
	| { readonly kind: "fetch"; readonly host: string | undefined };

/** Patterns follow `.gitignore`: what matches a directory matches everything below it. */
interface PathPattern {
	readonly glob: Bun.Glob;
	/** The directory that the pattern is relative to, as given and without links. */
	readonly bases: readonly string[];
}

/** What the paths of a rule are relative to. */
export interface RuleBase {
	readonly cwd: string;
	readonly home: string;
	/** What `/x` is below; the root of the file system unless the file is another program's. */
	readonly root?: string;
}

/** Claude Code's names for what a rule is about; in lower case they are also read with a pattern. */
const kinds = {
	run: "bash",
	read: "read grep glob ls notebookread",
	write: "edit write multiedit notebookedit",
	fetch: "webfetch",
} as const;

/** Tools of Claude Code that Tau does not have, or that need no permission in it: rules about them have no effect. */
const unused = new Set(
	"task agent skill slashcommand todowrite exitplanmode killshell bashoutput websearch".split(" "),
);

export type ParsedRule = { ok: true; subject: RuleSubject | undefined } | { ok: false; problem: string };

export function parseRule(text: string, base: RuleBase): ParsedRule {
	const [, name, pattern] = /^([\w.*:/-]+)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
	if (name === undefined)
		return problem("it is neither the name of a tool nor Name(pattern), such as Bash(git status:*)");
	const kind = kindOf(name);
	// A name without a pattern is a tool of Tau, unless it is written as Claude Code writes its own.
	if (pattern === undefined || pattern.trim() === "") {
		if (kind === undefined || !/^[A-Z]/.test(name)) return found({ kind: "tool", name });
		return found(wholeOf(kind));
	}
	if (kind === undefined)
		return unused.has(name.toLowerCase())
			? found(undefined)
			: problem(`${name} takes no pattern; Bash, Read, Edit and WebFetch do`);
	if (kind === "run") {
		const rule = parseCommandRule(pattern);
		return "problem" in rule ? problem(rule.problem) : found({ kind, rule });
	}
	if (kind === "fetch") return hostRule(pattern);
	return found({ kind, pattern: pathPattern(pattern.trim(), base) });
}

function found(subject: RuleSubject | undefined): ParsedRule {
	return { ok: true, subject };
}

function problem(message: string): ParsedRule {
	return { ok: false, problem: message };
}

function kindOf(name: string): keyof typeof kinds | undefined {
	const lower = name.toLowerCase();
	const match = Object.entries(kinds).find(([, names]) => names.split(" ").includes(lower));
	return match?.[0] as keyof typeof kinds | undefined;
}

function wholeOf(kind: keyof typeof kinds): RuleSubject {
	if (kind === "run") return { kind, rule: undefined };
	return kind === "fetch" ? { kind, host: undefined } : { kind, pattern: undefined };
}

function hostRule(pattern: string): ParsedRule {
	const [, host] = /^domain:([\w.*-]+)$/i.exec(pattern.trim()) ?? [];
	if (host === undefined) return problem("write the host as WebFetch(domain:example.com)");
	return found({ kind: "fetch", host: host.toLowerCase() });
}

function pathPattern(text: string, { cwd, home, root = "/" }: RuleBase): PathPattern {
	const [base, rest] = placed(text, { cwd, home, root });
	const trimmed = rest.replace(/^\.?\/+/, "").replace(/\/+$/, "");
	// As in .gitignore, a name without a slash matches at any depth.
	const isName = !rest.includes("/") && !/^[/~]/.test(text);
	const glob = trimmed === "" ? "**" : isName ? `**/${trimmed}` : trimmed;
	return { glob: new Bun.Glob(glob), bases: [...new Set([base, realPath(base)])] };
}

/** The directory that the pattern starts from, and what follows. */
function placed(text: string, { cwd, home, root }: Required<RuleBase>): [string, string] {
	if (text.startsWith("//")) return ["/", text.slice(2)];
	if (text === "~" || text.startsWith("~/")) return [home, text.slice(2)];
	if (text.startsWith("/")) return [root, text.slice(1)];
	// What is above the directory is named from its root.
	if (/^\.\.(?:\/|$)/.test(text)) {
		const [, up = ".."] = /^((?:\.\.\/?)+)/.exec(text) ?? [];
		return [resolve(cwd, up), text.slice(up.length)];
	}
	return [cwd, text];
}

export function matchesTool({ subject }: PermissionRule, name: string): boolean {
	if (subject.kind !== "tool") return false;
	const pattern = subject.name;
	// `mcp__x` is the server x with all of its tools.
	if (name === pattern || (pattern.startsWith("mcp__") && name.startsWith(`${pattern}__`))) return true;
	return pattern.includes("*") && new Bun.Glob(pattern).match(name);
}

export function matchesRun({ subject, list }: PermissionRule, run: ProgramRun): boolean {
	if (subject.kind !== "run") return false;
	return (
		subject.rule === undefined || matchesRule(subject.rule, run, list === "allow" ? "allow" : "restrict")
	);
}

/** `paths`: as given and without links. An allow rule must match both, any other rule one of them. */
export function matchesPath(
	{ subject, list }: PermissionRule,
	access: "read" | "write",
	paths: readonly string[],
): boolean {
	if (subject.kind !== access) return false;
	const { pattern } = subject;
	if (pattern === undefined) return true;
	const isMatch = (path: string): boolean =>
		pattern.bases.some((base) => isMatchBelow(pattern.glob, base, path));
	return list === "allow" ? paths.every(isMatch) : paths.some(isMatch);
}

function isMatchBelow(glob: Bun.Glob, base: string, path: string): boolean {
	const root = base.endsWith("/") ? base : `${base}/`;
	if (path !== base && !path.startsWith(root)) return false;
	const names = path.slice(root.length).split("/");
	return names.some((_, at) => glob.match(names.slice(0, names.length - at).join("/")));
}

export function matchesHost({ subject }: PermissionRule, host: string): boolean {
	if (subject.kind !== "fetch") return false;
	const { host: pattern } = subject;
	if (pattern === undefined || pattern === "*" || pattern === host) return true;
	return pattern.startsWith("*.") && host.endsWith(pattern.slice(1));
}
