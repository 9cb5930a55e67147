/** Gets what a template puts in: the output of a command, the text of a file. */
import { resolve } from "node:path";

import { commandEnvironment, runShell } from "@tau/sys";
import { cutUtf8Bytes, expandHome, oneLine, stripControls, type Env } from "@tau/utils";

import { isInside, readText, realOf } from "../discovery/walk.ts";
import type { Arguments } from "./arguments.ts";
import { limits } from "./limits.ts";

export interface InlineContext {
	cwd: string;
	/** What commands are run with. */
	env: Env;
	home: string;
	/** Directories that files may come from. */
	roots: readonly string[];
	signal: AbortSignal;
}

/** `problem` is a message for the user. */
export interface Inlined {
	text: string;
	problem?: string;
}

/**
 * The arguments are the shell's own, never a part of the command's text: whatever is in them, it is no command.
 */
export async function runInline(command: string, args: Arguments, place: InlineContext): Promise<Inlined> {
	const label = args.words.map(quoted).join(" ");
	const chunks: Uint8Array[] = [];
	let size = 0;
	const shown = `!\`${oneLine(command, limits.shownChars)}\``;
	try {
		const outcome = await runShell({
			command: `ARGUMENTS=${quoted(args.text)}\nset -- ${label}\n${command}`,
			cwd: place.cwd,
			env: commandEnvironment(place.env),
			timeoutMs: limits.commandMs,
			signal: place.signal,
			onOutput: (chunk) => {
				if (size < limits.commandBytes) chunks.push(chunk.slice());
				size += chunk.length;
			},
		});
		const kept = cutUtf8Bytes(Buffer.concat(chunks), limits.commandBytes, "head");
		const text = stripControls(new TextDecoder().decode(kept)).trim();
		if (outcome.stopped !== undefined) return { text, problem: `${shown} was stopped (${outcome.stopped}).` };
		if (outcome.exitCode !== 0)
			return { text, problem: `${shown} exited with ${outcome.exitCode ?? outcome.killedBy}.` };
		if (size > limits.commandBytes)
			return {
				text: `${text}\n[truncated]`,
				problem: `${shown} printed ${size} bytes; ${limits.commandBytes} were used.`,
			};
		return { text };
	} catch (error) {
		return {
			text: "",
			problem: `Cannot run ${shown}: ${error instanceof Error ? error.message : String(error)}`,
		};
	}
}

/** Undefined if the name is not a file: most words with an `@` are names of users or packages. */
export function readInline(name: string, place: InlineContext): Inlined | undefined {
	const path = realOf(resolve(place.cwd, expandHome(name, place.home)));
	if (path === undefined) return undefined;
	const isAllowed = place.roots.some((root) => isInside(path, realOf(root) ?? root));
	if (!isAllowed)
		return { text: "", problem: `@${name} was not included: it is outside ${place.roots.join(" and ")}.` };
	const read = readText(path, limits.fileBytes);
	if (!read) return undefined;
	return read.ok
		? { text: stripControls(read.text).trimEnd() }
		: { text: "", problem: `@${name} was not included: it ${read.message}.` };
}

function quoted(word: string): string {
	return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
