/** Replaces `@path` in a context file by the content of that file. */
import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";

import { expandHome } from "@tau/utils";

import { limits } from "./limits.ts";

export interface Imported {
	text: string;
	/** The imports that were left out, and why, for the user. */
	problems: string[];
}

interface Journey {
	root: string;
	/** The files that are open right now, to see a circle. */
	open: readonly string[];
	left: { imports: number };
	problems: string[];
}

/** Imports may come only from below `root`: a repository must not read the user's other files. */
export async function withImports(path: string, text: string, root: string): Promise<Imported> {
	const problems: string[] = [];
	const journey = {
		root: realpathSync(root),
		open: [realpathSync(path)],
		left: { imports: limits.imports },
		problems,
	};
	return { text: await expand(text, path, journey), problems };
}

/** A name at the start of a word, outside of code. An address as `a@b.c` is not one. */
const reference = /(?<=^|[\s(])@((?:~\/|\.{0,2}\/)?[\w.-][^\s`)]*)/g;

async function expand(text: string, path: string, journey: Journey): Promise<string> {
	const out: string[] = [];
	let fence: string | undefined;
	for (const line of text.split("\n")) {
		const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
		if (mark !== undefined && (fence === undefined || line.trim().startsWith(fence))) {
			fence = fence === undefined ? mark : undefined;
			out.push(line);
		} else out.push(fence === undefined ? await expandLine(line, path, journey) : line);
	}
	return out.join("\n");
}

async function expandLine(line: string, path: string, journey: Journey): Promise<string> {
	// Code between back quotes is about a name, not the name itself.
	const pieces = line.split(/(`[^`]*`)/);
	for (const [at, piece] of pieces.entries()) {
		if (piece.startsWith("`") || !piece.includes("@")) continue;
		let done = "";
		let from = 0;
		for (const match of piece.matchAll(reference)) {
			const replaced = await read(match[1] ?? "", path, journey);
			done += piece.slice(from, match.index) + (replaced ?? match[0]);
			from = match.index + match[0].length;
		}
		pieces[at] = done + piece.slice(from);
	}
	return pieces.join("");
}

/** Undefined if the name stays unchanged: it is not a file, or one that may not be read here. */
async function read(name: string, from: string, journey: Journey): Promise<string | undefined> {
	const target = locate(name.replace(/[.,;:!?]+$/, ""), from);
	if (target === undefined) return undefined;
	const { root, open, left, problems } = journey;
	const refuse = (why: string): undefined => void problems.push(`${from}: @${name} was skipped: ${why}`);
	if (target !== root && !target.startsWith(root + sep)) return refuse(`it is outside ${root}`);
	if (open.includes(target)) return refuse("it imports itself");
	if (open.length > limits.importDepth) return refuse(`more than ${limits.importDepth} imports deep`);
	if (left.imports-- <= 0) return refuse(`more than ${limits.imports} imports`);
	const file = Bun.file(target);
	if (file.size > limits.fileBytes)
		return refuse(`it has ${file.size} bytes; at most ${limits.fileBytes} are allowed`);
	const text = await file.text().catch(() => undefined);
	if (text === undefined) return refuse("cannot read it");
	if (text.includes("\0")) return refuse("it is not a text file");
	return await expand(text.trimEnd(), target, { ...journey, open: [...open, target] });
}

/** The real path of an existing file. Most words with an `@` are names of users or packages. */
function locate(name: string, from: string): string | undefined {
	const home = expandHome(name);
	const path = isAbsolute(home) ? home : join(dirname(from), home);
	try {
		const real = realpathSync(resolve(path));
		return statSync(real).isFile() ? real : undefined;
	} catch {
		// No such file: the word means something else.
		return undefined;
	}
}
