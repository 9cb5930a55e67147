/** Knows every shell that this program has started, so that nothing of them outlives their owner. */
import { uuidv7 } from "@tau/utils";

import { limits } from "../limits.ts";
import {
	killFamily,
	killFamilyNow,
	listProcesses,
	nameProcess,
	ticksSinceBoot,
	type Leader,
} from "../process/index.ts";

/** Every process of a command inherits this, so that also one that cut all ties to its parents can be found. */
export const markName = "TAU_SHELL_RUN";

/** A shell and the text that everything it starts bears. */
export interface OwnedShell extends Leader {
	readonly mark: string;
}

let shells: OwnedShell[] = [];
let everything: string | undefined;
let scopes = 0;

/** A mark for everything that one owner starts. Marks inside it begin with it, and no other does. */
export function newScope(): string {
	return `${programMark()}${++scopes}.`;
}

/** A Tau inside a Tau adds its mark to the outer one, which still has to find all of them. */
export function markValue(env: Record<string, string>, mark: string): string {
	return `${env[markName] ?? ""} ${mark}`.trim();
}

export function withMark(env: Record<string, string>, mark: string): Record<string, string> {
	return { ...env, [markName]: markValue(env, mark) };
}

/** To be called as soon as the shell runs. */
export function ownShell(pid: number, mark: string): OwnedShell {
	if (shells.length >= limits.ownedShells) forgetTheGone();
	const shell = { ...nameProcess(pid), mark };
	shells.push(shell);
	return shell;
}

/** What it has left in the background is still owned. */
export function shellEnded(shell: OwnedShell): void {
	shell.ended ??= ticksSinceBoot();
}

/** Ends everything that was started under a mark. */
export async function endScope(scope: string): Promise<void> {
	const leaders = shells.filter(({ mark }) => mark.startsWith(scope));
	await killFamily({ leaders, mark: scope });
	shells = shells.filter((shell) => !leaders.includes(shell));
}

/** Ends everything that any shell of this program has started, also what it left in the background. */
export async function endAll(): Promise<void> {
	if (everything !== undefined) await endScope(everything);
}

function programMark(): string {
	if (everything !== undefined) return everything;
	const mark = `${uuidv7()}.`;
	everything = mark;
	// For the program that ends without a word to its shells.
	process.once("exit", () => {
		if (shells.length > 0) killFamilyNow({ leaders: shells, mark });
	});
	return mark;
}

/** A shell that has ended and of whose group and session nobody is left: its number may be somebody else's now. */
function forgetTheGone(): void {
	const living = new Set(listProcesses().flatMap(({ pid, group, session }) => [pid, group, session]));
	shells = shells.filter(({ pid, ended }) => ended === undefined || living.has(pid));
}
