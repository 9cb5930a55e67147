/** What the user allows a project, as `trust.json` remembers it: to run its own code, and which keys of its `.env` to use. */
import { mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

import { log } from "@tau/utils";
import { z } from "zod";

import { limits } from "../support/limits.ts";
import { codeChanges, projectCode, type CodeChange, type ProjectCode } from "./project-code.ts";

const keySchema = z.object({ hash: z.string(), allowed: z.boolean() });
const schema = z.object({
	projects: z.record(z.string(), z.boolean()),
	/** By directory, the code of the project when it was trusted. */
	code: z.record(z.string(), z.record(z.string(), z.string())).optional(),
	/** By the directory of the `.env`, then by provider. */
	keys: z.record(z.string(), z.record(z.string(), keySchema)).optional(),
});
type Trust = z.infer<typeof schema>;

/** A key that a project's `.env` holds for a provider. */
export interface KeyOfProject {
	cwd: string;
	provider: string;
	value: string;
}

/** Directories that were refused for the lifetime of this process; nothing of it is stored. */
const refused = new Set<string>();

/** The refusal lasts until the user decides otherwise. */
export function refuseForRun(cwd: string): void {
	refused.add(realOf(cwd));
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

/** What has changed in the project's code since the user trusted it. */
export function changesSinceTrust(cwd: string, agentDir: string): readonly CodeChange[] {
	if (!givenAnswer(cwd, agentDir)?.trusted) return [];
	const own = realOf(cwd);
	const { code = {} } = readTrust(agentDir);
	const before = Object.hasOwn(code, own) ? code[own] : undefined;
	return before ? codeChanges(before, codeAtStart(own)) : [];
}

/** The code when this process first checked: what is loaded later in the run was covered by that question. */
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
	const trust = readTrust(agentDir);
	if (!isTrusted(cwd, agentDir) || Object.hasOwn(trust.code ?? {}, own)) return;
	try {
		writeTrust(agentDir, { ...trust, code: { ...trust.code, [own]: codeAtStart(own) } });
	} catch (error) {
		log.warn("changes of a trusted project will not be noticed", { project: own, reason: String(error) });
	}
}

function givenAnswer(cwd: string, agentDir: string): TrustAnswer | undefined {
	const own = realOf(cwd);
	if (refused.has(own)) return { directory: own, trusted: false, isOwn: true };
	const { projects } = readTrust(agentDir);
	for (let directory = own; ; directory = dirname(directory)) {
		const trusted = Object.hasOwn(projects, directory) ? projects[directory] : undefined;
		if (trusted !== undefined) return { directory, trusted, isOwn: directory === own };
		if (directory === dirname(directory)) return undefined;
	}
}

/** Stores the answer. The file is written atomically, readable by its owner only. */
export function setTrusted(cwd: string, agentDir: string, trusted: boolean): void {
	const own = realOf(cwd);
	refused.delete(own);
	const before = readTrust(agentDir);
	const after = trusted ? before : withoutKeys(before, own);
	const { [own]: _, ...code } = before.code ?? {};
	// The question is about the current code.
	codes.delete(own);
	writeTrust(agentDir, {
		...after,
		projects: { ...after.projects, [own]: trusted },
		code: trusted ? { ...code, [own]: codeAtStart(own) } : code,
	});
}

/** Deletes the decision, so that the user is asked again the next time. */
export function forgetTrust(cwd: string, agentDir: string): void {
	const own = realOf(cwd);
	const before = withoutKeys(readTrust(agentDir), own);
	const { [own]: _, ...projects } = before.projects;
	const { [own]: __, ...code } = before.code ?? {};
	writeTrust(agentDir, { ...before, projects, code });
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
	const before = readTrust(agentDir);
	const own = realOf(key.cwd);
	const ofProject = { ...before.keys?.[own], [key.provider]: { hash: hashOf(key), allowed } };
	writeTrust(agentDir, { ...before, keys: { ...before.keys, [own]: ofProject } });
}

/** Directory and provider are hashed too: equal keys of two projects do not show as equal. */
function hashOf({ cwd, provider, value }: KeyOfProject): string {
	return new Bun.CryptoHasher("sha256").update([realOf(cwd), provider, value].join("\0")).digest("hex");
}

/** Removes what was allowed to a project and to those below it: revoking trust also revokes the keys. */
function withoutKeys({ keys = {}, ...rest }: Trust, directory: string): Trust {
	const isInside = (path: string): boolean => path === directory || path.startsWith(directory + sep);
	const left = Object.entries(keys).filter(([path]) => !isInside(path));
	return left.length > 0 ? { ...rest, keys: Object.fromEntries(left) } : rest;
}

function writeTrust(agentDir: string, { code = {}, ...rest }: Trust): void {
	const trust = Object.keys(code).length > 0 ? { ...rest, code } : rest;
	const file = trustFile(agentDir);
	const draft = `${file}.${process.pid}.tmp`;
	mkdirSync(agentDir, { recursive: true, mode: 0o700 });
	writeFileSync(draft, `${JSON.stringify(trust, null, "\t")}\n`, { mode: 0o600 });
	renameSync(draft, file);
}

/** A file that cannot be read grants no trust. */
function readTrust(agentDir: string): Trust {
	const file = trustFile(agentDir);
	try {
		const size = statSync(file, { throwIfNoEntry: false })?.size;
		if (size === undefined || size > limits.trustBytes) return { projects: {} };
		return schema.parse(JSON.parse(readFileSync(file, "utf8")));
	} catch (error) {
		log.warn("trust.json cannot be read: no project is trusted", { file, reason: String(error) });
		return { projects: {} };
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
