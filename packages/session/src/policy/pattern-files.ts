/** Lists the files that a pattern of a command matches now: all that any version of bash would give it. */
import { existsSync, lstatSync, readdirSync } from "node:fs";

import { limits } from "./limits.ts";
import { isUnreadable, passesProcess } from "./real-path.ts";

/** Entries that the patterns of one call may still look at. */
export interface ScanBudget {
	entries: number;
}

const isWild = (name: string): boolean => /[*?[\]{}\\]/u.test(name);

/**
 * Absolute paths, in which `..` stays as it is, for the system to resolve, with the directories that are not there;
 * undefined where they are too many, or have names that only bytes can tell.
 */
export function matchesOf(pattern: string, budget: ScanBudget): string[] | undefined {
	let found = [""];
	// The command may make them, behind a link that leads nowhere yet.
	const missing: string[] = [];
	for (const name of pattern.split("/").slice(1)) {
		if (!isWild(name)) {
			found = found.map((directory) => `${directory}/${name}`);
			continue;
		}
		const isMatch = matcher(name);
		const isParent = mayBeParent(name);
		const next: string[] = [];
		for (const directory of found) {
			if (passesProcess(directory)) return undefined;
			const names = namesIn(directory === "" ? "/" : directory);
			if (names.length === 0 && !existsSync(directory)) missing.push(directory);
			if ((budget.entries -= names.length + 1) < 0) return undefined;
			for (const each of names) {
				if (isUnreadable(each)) return undefined;
				if (isMatch(each)) next.push(`${directory}/${each}`);
			}
			// Before bash 5.2, `.*` is these two as well.
			if (isParent) next.push(`${directory}/.`, `${directory}/..`);
			if (next.length > limits.globMatches) return undefined;
		}
		found = next;
	}
	return [...found.filter((path) => exists(path) || passesProcess(path)), ...missing];
}

/** It matches at least what bash matches, which knows `[[:alpha:]]`, and counts bytes or letters as its language is. */
function matcher(name: string): (entry: string) => boolean {
	// A quoted `*` or bracket is itself.
	const wide = name.replace(/\[.*\]/su, "*").replaceAll(/[[\]{}\\!*]+/gu, "*");
	const [letters, bytes] = [[...wide], bytesOf(wide)];
	return (entry) => fits([...entry], letters) || fits(bytesOf(entry), bytes);
}

/** `nocaseglob` may be set. Letter by letter: a whole name may have more of them in lower case, and other ones at its end. */
function isSameLetter(one: string | undefined, other: string | undefined): boolean {
	if (one === other) return true;
	return one?.toLowerCase() === other?.toLowerCase() || one?.toUpperCase() === other?.toUpperCase();
}

function bytesOf(text: string): string[] {
	return [...Buffer.from(text).toString("latin1")];
}

/** In steps of at most the product of both lengths: after a failure, only the last `*` takes one more. */
function fits(text: readonly string[], pattern: readonly string[]): boolean {
	let [at, next, star, taken] = [0, 0, -1, 0];
	while (at < text.length) {
		if (pattern[next] === "*") {
			star = next++;
			taken = at;
		} else if (next < pattern.length && (pattern[next] === "?" || isSameLetter(pattern[next], text[at]))) {
			next++;
			at++;
		} else if (star >= 0) {
			next = star + 1;
			at = ++taken;
		} else return false;
	}
	while (pattern[next] === "*") next++;
	return next === pattern.length;
}

function mayBeParent(name: string): boolean {
	// `.[!.]*` is how scripts leave it out.
	return name.startsWith(".") && !/^\.\[[!^]\.\]/u.test(name) && matcher(name)("..");
}

function namesIn(directory: string): string[] {
	try {
		return readdirSync(directory);
	} catch {
		// It is no directory, or commands of this user cannot list it either.
		return [];
	}
}

function exists(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch {
		// A part of it is no directory, or too long.
		return false;
	}
}
