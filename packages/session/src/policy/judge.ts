/** Judges a call by the mode, the boundary, the rules and the grants: whether it runs, is asked about, or does not run. */
import { existsSync } from "node:fs";

import { shapeOf, type ProgramRun } from "@tau/sys/commands";
import { shortenHome } from "@tau/utils";
import type { ApprovalMode, Boundary } from "@tau/wire";

import type { CallItem, FileItem } from "./call-items.ts";
import { consequenceOf } from "./consequences.ts";
import { fetchSubject, type Grant, type GrantSubject, type WholeCommand } from "./grants.ts";
import {
	matchesHost,
	matchesPath,
	matchesRun,
	matchesTool,
	type PermissionRule,
	type RuleList,
} from "./permission-rules.ts";
import { limits } from "./limits.ts";
import type { ProtectedLocations } from "./protected-locations.ts";
import {
	leadsOutside,
	leadsToSecrets,
	linkedSecretBelow,
	ofUserInside,
	holdsCodeOfGit,
	protectedBelow,
	protection,
	secretsBelow,
} from "./protected-paths.ts";
import { isLink, isWithin } from "./real-path.ts";

export interface JudgeContext {
	readonly mode: ApprovalMode;
	readonly boundary: Boundary;
	/** In plan mode the sandbox lets no command write, so that any may run. */
	readonly holdsWrites: boolean;
	readonly rules: readonly PermissionRule[];
	/** The name of the tool that is called. */
	readonly tool: string;
	/** Other names of the tool. */
	readonly aliases?: readonly string[] | undefined;
	/** The command of the call, if it has one. */
	readonly command: WholeCommand | undefined;
	/** Directories whose files may be changed, without links: the first one is the project. */
	readonly roots: readonly string[];
	/** Whether a path without links is one of the session's own temporary files. */
	isTemporary(path: string): boolean;
	readonly protected: ProtectedLocations;
	/** The grant that covers an item. */
	grantFor(item: CallItem): Grant | undefined;
	/** Whether the user wrote this address in a prompt. */
	isUserUrl(url: string): boolean;
}

/** Why an item is asked about: `mode` can be skipped by a hook, and by a boundary where nobody can answer. */
export type AskCause = "mode" | "danger" | "rule" | "protected";

export type Opinion =
	| { readonly verdict: "allow"; readonly grant?: Grant }
	| { readonly verdict: "deny" | "refuse"; readonly reason: string }
	| {
			readonly verdict: "ask";
			readonly item: CallItem;
			readonly cause: AskCause;
			readonly reason: string;
			/** What a longer yes would cover. */
			readonly subject: GrantSubject | undefined;
			/** Whether the yes may be for the project, too. */
			readonly mayStay: boolean;
			/** Whether it runs where nobody can answer. */
			readonly runsUnanswered: boolean;
	  };

export type Ask = Extract<Opinion, { verdict: "ask" }>;

const allow: Opinion = { verdict: "allow" };

export function judgeItem(item: CallItem, context: JudgeContext): Opinion {
	const denied = ruleFor("deny", item, context);
	if (denied)
		return { verdict: "deny", reason: `the rule ${denied.text} (${shortenHome(denied.source)}) denies it` };
	if (context.mode === "full") return allow;
	if (item.kind === "unknown" && item.isIntricate && context.boundary !== "none") return allow;
	const grant = context.grantFor(item);
	if (item.kind === "read" || item.kind === "write") {
		const what = protectedBy(item, context);
		if (what !== undefined && context.mode === "plan" && item.kind === "write") return readOnly(item);
		if (what !== undefined && !grant)
			return ask(item, "protected", `${verbOf(item)} ${shown(item)}: ${what}`, context);
	}
	if (context.mode === "plan") return inPlan(item, context);
	const asking = ruleFor("ask", item, context);
	if (asking && !grant)
		return ask(
			item,
			"rule",
			`the rule ${asking.text} (${shortenHome(asking.source)}) asks about it`,
			context,
		);
	if (grant) return { verdict: "allow", grant };
	if (ruleFor("allow", item, context)) return allow;
	return byMode(item, context);
}

function ruleFor(
	list: RuleList,
	item: CallItem,
	{ rules, tool, aliases = [] }: JudgeContext,
): PermissionRule | undefined {
	const isOfTool = (rule: PermissionRule): boolean =>
		[tool, ...aliases].some((name) => matchesTool(rule, name));
	return rules.find((rule) => rule.list === list && (isOfTool(rule) || isAbout(rule, item)));
}

function isAbout(rule: PermissionRule, item: CallItem): boolean {
	switch (item.kind) {
		case "run":
			return matchesRun(rule, item.run);
		case "unknown":
			// `Bash` without a pattern is about every command, whatever it is.
			return !item.isRemote && rule.subject.kind === "run" && rule.subject.rule === undefined;
		case "read":
		case "write":
			return item.paths.length > 0 && matchesPath(rule, item.kind, item.paths);
		case "fetch":
			return item.host !== "" && matchesHost(rule, item.host);
		case "tool":
			return [item.name, item.alias ?? item.name].some((name) => matchesTool(rule, name));
	}
}

function protectedBy(
	item: FileItem,
	{ protected: places, roots, boundary }: JudgeContext,
): string | undefined {
	const what =
		protection(item.paths, item.kind, places) ??
		(item.kind === "write" ? ofUserInside(item.paths, roots, places) : undefined);
	const real = item.paths.at(-1);
	if (what !== undefined || real === undefined) return what;
	if (item.kind === "write" && (item.deletes || item.moves || !existsSync(real))) {
		const held = holdsCodeOfGit(real, places);
		if (held !== undefined) return held;
	}
	if (!(item.isTree || item.moves)) return undefined;
	if (item.kind === "write") return protectedBelow(real, roots);
	// Of a project that is a home directory, tools leave secrets out, and a sandbox hides them.
	const isWithoutSecrets = real === roots[0] && (!item.byCommand || boundary === "sandbox");
	const around = (isWithoutSecrets ? linkedSecretBelow : secretsBelow)(real, places);
	if (around !== undefined) return around;
	// A sandbox hides what the links lead to.
	const mayLead = item.follows && boundary !== "sandbox" && leadsToSecrets(real, places);
	return mayLead
		? "links below it are followed, and lead to credentials or are too many to check"
		: undefined;
}

function inPlan(item: CallItem, context: JudgeContext): Opinion {
	if (item.kind === "read") return allow;
	if (item.kind === "run" && (context.holdsWrites || isHarmless(item.run, context))) return allow;
	// The user vouches for a program that reads and is not on the closed list.
	if (item.kind === "run" && onlyReads(item.run, context) && ruleFor("allow", item, context)) return allow;
	// What is typed goes to a program that may have been started before.
	if (context.holdsWrites && item.kind === "unknown" && !item.isTyped && !item.isRemote) return allow;
	if (context.holdsWrites && item.kind === "write" && item.byCommand) return allow;
	if (item.kind === "tool" && item.tier === "read") return allow;
	if (item.kind === "fetch" && (context.isUserUrl(item.url) || ruleFor("allow", item, context))) return allow;
	return readOnly(item);
}

function readOnly(item: CallItem): Opinion {
	return { verdict: "refuse", reason: aboutItem(item) };
}

function byMode(item: CallItem, context: JudgeContext): Opinion {
	switch (item.kind) {
		case "read":
			return allow;
		case "run":
			return runOpinion(item, context);
		case "unknown":
			return isOpen(context) || item.isRemote ? ask(item, "mode", aboutItem(item), context) : allow;
		case "write":
			return writeOpinion(item, context);
		case "fetch":
			if (item.isOwn || context.isUserUrl(item.url) || context.boundary === "container") return allow;
			return ask(item, "mode", aboutItem(item), context);
		case "tool":
			return toolOpinion(item, context);
	}
}

/** Reading over the network says something to others; a sandbox asks about each host by itself. */
function isHarmless(run: ProgramRun, context: JudgeContext): boolean {
	return onlyReads(run, context) && !isUnlisted(run, context);
}

function onlyReads({ effect, network }: ProgramRun, { boundary }: JudgeContext): boolean {
	return effect === "read" && (!network || boundary === "sandbox");
}

/** Nothing contains it, and it is not on the closed list of what may run then. */
function isUnlisted({ unlisted }: ProgramRun, { boundary }: JudgeContext): boolean {
	return unlisted !== undefined && boundary === "none";
}

/** Nothing contains commands, or the user wants to see each of them. */
function isOpen({ mode, boundary }: JudgeContext): boolean {
	return mode === "ask" || boundary === "none";
}

function runOpinion(item: Extract<CallItem, { kind: "run" }>, context: JudgeContext): Opinion {
	const { run } = item;
	if (run.danger !== undefined) return ask(item, "danger", `${nameOf(run)}: ${run.danger}`, context);
	if (isHarmless(run, context)) return allow;
	if (!isOpen(context)) return allow;
	// Files that it would change are judged one by one.
	const isKnown = run.effect === "write" && !run.network && !isUnlisted(run, context);
	if (context.mode === "auto" && isKnown) return allow;
	return ask(item, "mode", whyAsked(run, context), context);
}

function mayChange(path: string, { roots, isTemporary }: JudgeContext): boolean {
	return roots.some((root) => isWithin(path, root)) || isTemporary(path);
}

function writeOpinion(item: FileItem, context: JudgeContext): Opinion {
	const real = item.paths.at(-1);
	const isInside = real !== undefined && mayChange(real, context);
	// A container contains the tools of Tau as it contains commands.
	if ((item.byCommand || context.boundary === "container") && !isOpen(context)) return allow;
	// Programs that unpack or copy trees follow the links that they find.
	const opens = (item.isTree || item.into) && !item.deletes;
	const follows = isInside && opens && leadsOutside(real, context.roots, item.isTree);
	// Links that are relative lead elsewhere then; and a command or a tracked file may still mean what was there.
	const takesLinks = isInside && item.moves && (isLink(item.paths[0]) || leadsOutside(real, [real], true));
	if (isInside && context.mode === "auto" && !follows && !takesLinks) return allow;
	const where = isInside
		? follows
			? ", in which links lead out of the project"
			: takesLinks
				? ", with links that lead out of it"
				: ""
		: real === undefined
			? ", which only the shell can resolve"
			: " outside the project";
	return ask(item, "mode", `${verbOf(item)} ${shown(item)}${where}`, context);
}

function toolOpinion(item: Extract<CallItem, { kind: "tool" }>, context: JudgeContext): Opinion {
	const { tier, isUndeclared } = item;
	if (tier === "read") return allow;
	// The code of a tool that declares nothing is trusted already.
	if (context.mode === "auto" && (isUndeclared || tier === "write")) return allow;
	return ask(item, "mode", aboutTool(item), context);
}

function ask(item: CallItem, cause: AskCause, reason: string, context: JudgeContext): Opinion {
	return {
		verdict: "ask",
		item,
		cause,
		reason,
		subject: subjectOf(item, cause, context),
		mayStay: cause === "mode" && item.kind !== "unknown",
		runsUnanswered: cause === "mode" && runsUnanswered(item, context),
	};
}

/** What a boundary contains runs where nobody can answer; without one, what can be rewound and what is trusted code. */
function runsUnanswered(item: CallItem, context: JudgeContext): boolean {
	const { boundary } = context;
	if (item.kind === "unknown" && item.isRemote) return false;
	if (boundary === "container") return true;
	if (item.kind === "run" || item.kind === "unknown") return boundary === "sandbox";
	if (item.kind === "tool") return item.isUndeclared || item.tier === "write";
	if (item.kind !== "write") return false;
	const real = item.paths.at(-1);
	if (item.byCommand && boundary === "sandbox") return true;
	return real !== undefined && mayChange(real, context);
}

/** Never wider than what the user sees. */
function subjectOf(
	item: CallItem,
	cause: AskCause,
	{ command, roots }: JudgeContext,
): GrantSubject | undefined {
	switch (item.kind) {
		case "run":
			// A rule that names variables must know their values.
			if (cause === "mode" && (item.run.environment.length === 0 || item.run.assignments !== undefined))
				return { kind: "run", rule: shapeOf(item.run) };
			return command && { kind: "command", ...command };
		case "unknown":
			return command && { kind: "command", ...command };
		case "read":
		case "write": {
			const real = item.paths.at(-1);
			// A yes to `rm -r` is none to every other change below the same directory.
			if (real === undefined || (item.byCommand && item.isTree))
				return command && { kind: "command", ...command };
			const [project] = roots;
			const isTree = cause === "mode" && !item.byCommand && project !== undefined && isWithin(real, project);
			return { kind: item.kind, path: isTree ? project : real, isTree: isTree || item.isTree };
		}
		case "fetch":
			return item.host === "" ? undefined : fetchSubject(item.host, item.port);
		case "tool":
			return { kind: "tool", name: item.name };
	}
}

function aboutItem(item: CallItem): string {
	switch (item.kind) {
		case "run":
			return item.run.effect === "read" && !item.run.network
				? (item.run.unlisted ?? withName(item.run))
				: withName(item.run);
		case "unknown":
			if (item.isIntricate) return `${item.reason} (no sandbox contains the command)`;
			return item.isRemote ? item.reason : `the command cannot be analyzed: ${item.reason}`;
		case "fetch":
			return `connects to ${item.host === "" ? item.url : item.port === undefined ? item.host : `${item.host}:${item.port}`}, which no rule allows`;
		case "tool":
			return aboutTool(item);
		default:
			return `${verbOf(item)} ${shown(item)}`;
	}
}

/** What is known only to read or write is asked about because nothing contains it; a write in mode `ask` is always. */
function whyAsked(run: ProgramRun, context: JudgeContext): string {
	const what = consequenceOf(run);
	if (run.unlisted === undefined || run.network || !isUnlisted(run, context)) return what;
	if (run.effect === "read" || run.hasPattern) return run.unlisted;
	if (run.effect === "exec") return what;
	return context.mode === "auto" ? `${what}, and ${run.unlisted}` : what;
}

/** As a sentence of its own: `git reset discards uncommitted changes`. */
function withName(run: ProgramRun): string {
	const what = consequenceOf(run);
	return what.startsWith(run.name) ? what : `${nameOf(run)} ${what}`;
}

function aboutTool({ name, label, tier }: Extract<CallItem, { kind: "tool" }>): string {
	if (label !== undefined) return `calls ${label}`;
	return tier === "write" ? `${name} changes something` : `${name} runs code`;
}

function nameOf({ name, argv }: ProgramRun): string {
	const second = argv[1];
	return second !== undefined && /^[a-z][\w-]*$/.test(second) ? `${name} ${second}` : name;
}

function verbOf({ kind, deletes }: FileItem): string {
	if (kind === "read") return "reads";
	return deletes ? "deletes" : "changes";
}

function shown({ paths, text }: FileItem): string {
	const [given, real] = paths;
	const path = shortenHome(given ?? text);
	return real === undefined ? path : `${path} (a link to ${shortenHome(real)})`;
}

/** A hook's yes skips questions of the mode, not those of rules and protected paths. */
export function isFirm({ cause }: Ask): boolean {
	return cause === "rule" || cause === "protected";
}

/** The user wrote this address in one of the prompts. */
export function isUserUrl(url: string, prompts: Iterable<string>): boolean {
	const wanted = url.replace(/#.*$/s, "").replace(/\/+$/, "");
	return wanted !== "" && isInPrompt(prompts, (written) => written === wanted);
}

export function isUserHost(host: string, prompts: Iterable<string>): boolean {
	return isInPrompt(prompts, (written) => URL.parse(written)?.hostname.replace(/^\[|\]$/g, "") === host);
}

function isInPrompt(prompts: Iterable<string>, isWanted: (url: string) => boolean): boolean {
	let left = limits.prompts;
	for (const text of prompts) {
		if (left-- === 0) return false;
		if (urlsIn(text).some(isWanted)) return true;
	}
	return false;
}

function urlsIn(text: string): string[] {
	const matches = text.match(/https?:\/\/[^\s<>"'`\]]+/g) ?? [];
	// A sentence may end behind an address, and brackets may be around it.
	return matches.flatMap((url) => {
		const bare = url.replace(/#.*$/s, "").replace(/\/+$/, "");
		return [bare, bare.replace(/[).,;:!?]+$/, "").replace(/\/+$/, "")];
	});
}
