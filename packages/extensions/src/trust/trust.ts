/** What the user allows a project, as `trust.json` remembers it: to run its own code, and which keys of its `.env` to use. */
import { mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

import { parseShape, log, shapes, waitForLock, type ShapeValue } from "@tau/utils";

import { projectRoot } from "@tau/resources/context-files";
import { isInside } from "@tau/resources/discovery";
import { limits } from "../support/limits.ts";
import type { ProjectCode } from "./code-list.ts";
import { codeChanges, projectCode, type CodeChange } from "./project-code.ts";

const { boolean, object, optional, record, string } = shapes;

const schema = object({
	projects: record(boolean),
	/** By directory, the code of the project when it was trusted. */
	code: optional(record(record(string))),
	/** By the directory of the `.env`, then by provider. */
	keys: optional(record(record(object({ hash: string, allowed: boolean })))),
});
type Trust = ShapeValue<typeof schema>;

/** A key that a project's `.env` holds for a provider. */
export interface KeyOfProject {
	cwd: string;
	provider: string;
	value: string;
}

/** Decisions that apply for the lifetime of this process, with the code that they are about; nothing of it is stored. */
const runDecisions = new Map<string, { trusted: boolean; code: ProjectCode }>();

/** The decision applies until the user makes another one. */
export function decideForRun(cwd: string, trusted: boolean): void {
	const own = realOf(cwd);
	codes.delete(own);
	runDecisions.set(own, { trusted, code: codeAtStart(own) });
}

export function trustFile(agentDir: string): string {
	return join(agentDir, "trust.json");
}

/** Without an answer the project is not trusted. */
export function isTrusted(cwd: string, agentDir: string): boolean {
	return trustOf(cwd, agentDir) === true;
}

/** The decision for the directory or its nearest parent with one; undefined if the user was never asked. */
export function trustOf(cwd: string, agentDir: string): boolean | undefined {
	return trustAnswer(cwd, agentDir)?.trusted;
}

/** Whether the user refused the project, or it has code that the user was not asked about. */
export function isUntrusted(cwd: string, agentDir: string): boolean {
	const trusted = trustOf(cwd, agentDir);
	return trusted === undefined ? Object.keys(codeAtStart(realOf(cwd))).length > 0 : !trusted;
}

export interface TrustAnswer {
	directory: string;
	trusted: boolean;
	isOwn: boolean;
}

/** The same decision, with the directory that it was made for. A yes does not cover code that has changed since. */
export function trustAnswer(cwd: string, agentDir: string): TrustAnswer | undefined {
	const answer = givenAnswer(cwd, agentDir);
	return answer?.trusted && changesSinceTrust(cwd, agentDir).length > 0 ? undefined : answer;
}

/** What has changed in the project's code since the user trusted it; paths are relative to `cwd`. */
export function changesSinceTrust(cwd: string, agentDir: string): readonly CodeChange[] {
	const answer = givenAnswer(cwd, agentDir);
	const own = realOf(cwd);
	if (!answer?.trusted) return [];
	const decision = runDecisions.get(own);
	const code = decision ? { [own]: decision.code } : (readTrust(agentDir).code ?? {});
	// In a subdirectory of a trusted repository its hooks and templates apply too.
	return directoriesOf(own, answer.directory).flatMap((directory) => {
		const before = Object.hasOwn(code, directory) ? code[directory] : undefined;
		return (before ? codeChanges(before, codeAtStart(directory)) : []).map(({ path, kind }) => ({
			path: relative(own, join(directory, path)),
			kind,
		}));
	});
}

/** Why code of the project does not run, as the end of a sentence. */
export function whyUntrusted(
	cwd: string,
	agentDir: string,
	changes = changesSinceTrust(cwd, agentDir),
): string {
	if (changes.length === 0) return "the project is not trusted";
	const shown = changes.slice(0, limits.namedChanges).map(({ path, kind }) => `${path} (${kind})`);
	const more = changes.length > shown.length ? `, and ${changes.length - shown.length} more` : "";
	return `its code has changed since you trusted it: ${shown.join(", ")}${more}`;
}

/** One notice about all code of the project that did not run: `["2 extensions", "hooks"]`. */
export function withheldNotice(
	parts: readonly string[],
	cwd: string,
	agentDir: string,
	changes?: readonly CodeChange[],
): string {
	const list = [parts.slice(0, -1).join(", "), ...parts.slice(-1)]
		.filter((part) => part !== "")
		.join(" and ");
	const what = `${list.charAt(0).toUpperCase()}${list.slice(1)}`;
	return `${what} of this project did not run, because ${whyUntrusted(cwd, agentDir, changes)}. Review the code, then run /trust or start with --trust.`;
}

function directoriesOf(own: string, answered: string): string[] {
	if (own === answered) return [own];
	const root = realOf(projectRoot(own));
	return answered === root || isInside(answered, root) ? [own, answered] : [own];
}

/**
 * From now on trust is judged by the code as it is: what is loaded next may contain files that a command has written since
 * the user was asked.
 */
export function recheckCode(): void {
	codes.clear();
}

/** The code when this process first checked, or checked again: what is loaded from it was covered by that question. */
function codeAtStart(directory: string): ProjectCode {
	const known = codes.get(directory) ?? projectCode(directory);
	codes.set(directory, known);
	return known;
}

const codes = new Map<string, ProjectCode>();

/**
 * Remembers the code of a project that is trusted because of an answer about a parent directory, or of one that was given
 * to an earlier version: from now on changes are noticed.
 */
export function rememberCode(cwd: string, agentDir: string): void {
	const own = realOf(cwd);
	const isKnown = ({ code = {} }: Trust): boolean => Object.hasOwn(code, own);
	if (runDecisions.has(own) || !isTrusted(cwd, agentDir) || isKnown(readTrust(agentDir))) return;
	try {
		changeTrust(agentDir, (trust) =>
			isKnown(trust) ? trust : { ...trust, code: { ...trust.code, [own]: codeAtStart(own) } },
		);
	} catch (error) {
		log.warn("cannot store the code hashes of a trusted project", { project: own, reason: String(error) });
	}
}

function givenAnswer(cwd: string, agentDir: string): TrustAnswer | undefined {
	const own = realOf(cwd);
	const forRun = runDecisions.get(own)?.trusted;
	if (forRun !== undefined) return { directory: own, trusted: forRun, isOwn: true };
	const { projects } = readTrust(agentDir);
	for (let directory = own; ; directory = dirname(directory)) {
		const trusted = Object.hasOwn(projects, directory) ? projects[directory] : undefined;
		if (trusted !== undefined) return { directory, trusted, isOwn: directory === own };
		if (directory === dirname(directory)) return undefined;
	}
}

/** Whether the project of a session is trusted. `found`: what a run knows of its own project, with `--trust`. */
export function trusts(
	cwd: string,
	agentDir: string,
	found: { readonly cwd: string; isTrusted(): boolean } | undefined,
): boolean {
	// A session of another project is judged by the answer about that project.
	return found?.cwd === cwd ? found.isTrusted() : isTrusted(cwd, agentDir);
}

/** Stores the answer. The file is written atomically, readable by its owner only. */
export function setTrusted(cwd: string, agentDir: string, trusted: boolean): void {
	const own = realOf(cwd);
	runDecisions.delete(own);
	// The user is asked about what is there now.
	codes.delete(own);
	changeTrust(agentDir, (before) => {
		const after = trusted ? before : withoutKeys(before, own);
		const { [own]: _, ...projects } = after.projects;
		const { [own]: __, ...code } = before.code ?? {};
		return {
			...after,
			// Last, because the first ones are dropped when the file gets too long.
			projects: { ...projects, [own]: trusted },
			code: trusted ? { ...code, [own]: codeAtStart(own) } : code,
		};
	});
}

/** The code that the user has trusted in this directory. */
export function trustedCode(cwd: string, agentDir: string): ProjectCode | undefined {
	return readTrust(agentDir).code?.[realOf(cwd)];
}

/** Returns a function that lists what has changed since this call, for questions that a user takes time to answer. */
export function watchCode(cwd: string): () => readonly CodeChange[] {
	const own = realOf(cwd);
	const before = projectCode(own);
	return () => codeChanges(before, projectCode(own));
}

/** Deletes the decision, so that the user is asked again the next time. */
export function forgetTrust(cwd: string, agentDir: string): void {
	const own = realOf(cwd);
	changeTrust(agentDir, (trust) => without(withoutKeys(trust, own), own));
}

/** Whether the user allowed exactly this key; undefined if there is no answer, or the key has changed since. */
export function keyAnswer(key: KeyOfProject, agentDir: string): boolean | undefined {
	const keys = readTrust(agentDir).keys ?? {};
	const own = realOf(key.cwd);
	const ofProject = Object.hasOwn(keys, own) ? keys[own] : undefined;
	const answer = ofProject && Object.hasOwn(ofProject, key.provider) ? ofProject[key.provider] : undefined;
	return answer?.hash === hashOf(key) ? answer.allowed : undefined;
}

/** The key itself is not stored, only a hash that detects another one. */
export function setKeyAnswer(key: KeyOfProject, agentDir: string, allowed: boolean): void {
	const own = realOf(key.cwd);
	changeTrust(agentDir, (before) => {
		const ofProject = { ...before.keys?.[own], [key.provider]: { hash: hashOf(key), allowed } };
		return { ...before, keys: { ...before.keys, [own]: ofProject } };
	});
}

/** Directory and provider are hashed too: equal keys of two projects do not show as equal. */
function hashOf({ cwd, provider, value }: KeyOfProject): string {
	return new Bun.CryptoHasher("sha256").update([realOf(cwd), provider, value].join("\0")).digest("hex");
}

/** Removes what was allowed to a project and to those below it: revoking trust also revokes the keys. */
function withoutKeys({ keys = {}, ...rest }: Trust, directory: string): Trust {
	const left = Object.entries(keys).filter(([path]) => path !== directory && !isInside(path, directory));
	return left.length > 0 ? { ...rest, keys: Object.fromEntries(left) } : rest;
}

/** Several processes may answer at once: none of them may undo the answer of another one. */
function changeTrust(agentDir: string, change: (trust: Trust) => Trust): void {
	mkdirSync(agentDir, { recursive: true, mode: 0o700 });
	using _lock = waitForLock(trustFile(agentDir));
	writeTrust(agentDir, change(readTrust(agentDir)));
}

function writeTrust(agentDir: string, trust: Trust): void {
	const file = trustFile(agentDir);
	const draft = `${file}.${process.pid}.tmp`;
	writeFileSync(draft, textOf(trust), { mode: 0o600 });
	// A file that grants nothing because it is damaged may still be repaired by its owner.
	if (isDamaged(file)) renameSync(file, `${file}.damaged`);
	renameSync(draft, file);
}

/** A file that is too long would grant nothing at all: the oldest projects are asked about again instead. */
function textOf(trust: Trust): string {
	const { code = {}, ...rest } = trust;
	const kept = Object.keys(code).length > 0 ? { ...rest, code } : rest;
	const text = `${JSON.stringify(kept, null, "\t")}\n`;
	const [oldest] = Object.keys(code);
	return text.length <= limits.trustBytes || oldest === undefined ? text : textOf(without(trust, oldest));
}

function without({ projects, code = {}, ...rest }: Trust, directory: string): Trust {
	const { [directory]: _, ...otherProjects } = projects;
	const { [directory]: __, ...otherCode } = code;
	return { ...rest, projects: otherProjects, code: otherCode };
}

/** A file that cannot be read grants no trust. */
function readTrust(agentDir: string): Trust {
	const file = trustFile(agentDir);
	try {
		return parseTrust(file) ?? { projects: {} };
	} catch (error) {
		log.warn("trust.json cannot be read: no project is trusted", { file, reason: String(error) });
		return { projects: {} };
	}
}

/** Undefined if there is no file. */
function parseTrust(file: string): Trust | undefined {
	const size = statSync(file, { throwIfNoEntry: false })?.size;
	if (size === undefined) return undefined;
	if (size > limits.trustBytes) throw new Error(`It has ${size} bytes.`);
	const parsed = parseShape(schema, JSON.parse(readFileSync(file, "utf8")));
	if (!parsed.ok)
		throw new Error(parsed.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
	return parsed.value;
}

function isDamaged(file: string): boolean {
	try {
		parseTrust(file);
		return false;
	} catch {
		// It was reported when it was read. Only a file is moved away.
		return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
	}
}

function realOf(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		// It is not there: nothing of it can be run either.
		return resolve(path);
	}
}
