/** Lists what a command would run and change; whatever is not understood is said to be unknown. */
import { basename, resolve } from "node:path";

import type { CommandFacts, CommandLocation } from "./facts.ts";
import { literalArg } from "./args.ts";
import { isOfSystem } from "./closed-kinds.ts";
import { limits } from "./limits.ts";
import { notPlain } from "./plain.ts";
import { NotUnderstood } from "./syntax/cursor.ts";
import { parseScript } from "./syntax/parser.ts";
import { ShellState } from "./shell-state.ts";
import { Walker } from "./walk.ts";

const understoodShells = new Set(["bash", "sh", "dash", "ash"]);

/** Never throws. Rules that deny still see the programs of a command that is not understood, as far as possible. */
export function commandFacts(command: string, at: CommandLocation): CommandFacts {
	const walker = new Walker(at);
	const state = new ShellState([at.cwd], [["HOME", literalArg(at.home)]]);
	state.areNames = at.areNames === true;
	const shell = basename(at.shell ?? "bash");
	const refusal =
		command.length > limits.commandChars
			? "the command is too long to judge"
			: !command.isWellFormed()
				? "the command has letters that no shell would read as they are written"
				: understoodShells.has(shell)
					? undefined
					: `scripts of ${shell} are not understood`;
	if (refusal !== undefined) {
		walker.salvage(command, state, refusal);
		return walker.findings.facts();
	}
	try {
		const script = parseScript(command);
		walker.walk(script, state);
		const facts = walker.findings.facts();
		const intricate = notPlain(command, script, facts, state.areNames) ?? ofSystem(facts);
		return intricate === undefined ? facts : { ...facts, intricate };
	} catch (error) {
		if (!(error instanceof NotUnderstood)) throw error;
		walker.salvage(command, state, error.message);
		return { ...walker.findings.facts(), intricate: error.message };
	}
}

/** However it is named: by `..`, in a redirection, by a loop, or after \`cd /\`. */
function ofSystem({ reads, readTrees }: CommandFacts): string | undefined {
	const path = [...reads, ...readTrees].find((each) => isOfSystem(resolve("/", each)));
	return path === undefined ? undefined : `${path} is no file, but what the system or a process shows`;
}
