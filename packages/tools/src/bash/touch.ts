/** What a command touches, as far as it can be told before it runs: itself, and where it begins. */
import type { Touch } from "@tau/agent";

import type { TouchPlace } from "../tool/define-tool.ts";
import { shellSlot } from "./shell-slot.ts";

export function commandTouch(
	command: string | undefined,
	cwd: string | undefined,
	place: TouchPlace,
): readonly Touch[] {
	return command === undefined ? [] : [{ kind: "exec", command, cwd: shellCwd(cwd, place) }];
}

/** The shell stays where the command before it went. */
export function shellCwd(cwd: string | undefined, { cwd: start, resolve, shelf }: TouchPlace): string {
	return cwd === undefined ? (shelf?.peek(shellSlot)?.cwd ?? start) : resolve(cwd);
}
