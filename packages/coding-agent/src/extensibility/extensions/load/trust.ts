/** Whether a project's own code may run: only after a yes of the person, which `trust.json` remembers. */
import { mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { log } from "@tau/utils";
import { z } from "zod";

import { limits } from "../limits.ts";

const schema = z.object({ projects: z.record(z.string(), z.boolean()) });
type Trust = z.infer<typeof schema>;

/** Directories that somebody has refused for as long as this program runs; nothing of it is written down. */
const refused = new Set<string>();

/** Until the person says something else about it. */
export function refuseForRun(cwd: string): void {
	refused.add(realOf(cwd));
}

export function trustFile(agentDir: string): string {
	return join(agentDir, "trust.json");
}

/** Nobody asked yet means no. */
export function isTrusted(cwd: string, agentDir: string): boolean {
	return trustOf(cwd, agentDir) === true;
}

/** What was said about the directory, or about the nearest one above it; undefined where nobody was asked. */
export function trustOf(cwd: string, agentDir: string): boolean | undefined {
	return trustAnswer(cwd, agentDir)?.trusted;
}

/** The same, with the directory that it was said about. */
export function trustAnswer(
	cwd: string,
	agentDir: string,
): { directory: string; trusted: boolean; isOwn: boolean } | undefined {
	const own = realOf(cwd);
	if (refused.has(own)) return { directory: own, trusted: false, isOwn: true };
	const { projects } = readTrust(agentDir);
	for (let directory = own; ; directory = dirname(directory)) {
		const trusted = Object.hasOwn(projects, directory) ? projects[directory] : undefined;
		if (trusted !== undefined) return { directory, trusted, isOwn: directory === own };
		if (directory === dirname(directory)) return undefined;
	}
}

/** Remembers the answer. The file is written whole, by itself, for its owner alone. */
export function setTrusted(cwd: string, agentDir: string, trusted: boolean): void {
	refused.delete(realOf(cwd));
	const { projects } = readTrust(agentDir);
	writeTrust(agentDir, { ...projects, [realOf(cwd)]: trusted });
}

/** The person is asked again the next time. */
export function forgetTrust(cwd: string, agentDir: string): void {
	const { [realOf(cwd)]: _, ...projects } = readTrust(agentDir).projects;
	writeTrust(agentDir, projects);
}

function writeTrust(agentDir: string, projects: Trust["projects"]): void {
	const file = trustFile(agentDir);
	const draft = `${file}.${process.pid}.tmp`;
	mkdirSync(agentDir, { recursive: true });
	const text = JSON.stringify({ projects }, null, "\t");
	writeFileSync(draft, `${text}\n`, { mode: 0o600 });
	renameSync(draft, file);
}

/** A file that cannot be read says yes to nothing. */
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
