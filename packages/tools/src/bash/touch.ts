/** The resources of a command, as far as they are known before it runs: the command and its directory. */
import type { Touch } from "@tau/agent";

import type { TouchContext } from "../tool/define-tool.ts";
import { shellService } from "./shell-service.ts";

export function commandTouch(
	command: string | undefined,
	cwd: string | undefined,
	context: TouchContext,
): readonly Touch[] {
	return command === undefined ? [] : [{ kind: "exec", command, cwd: shellCwd(cwd, context) }];
}

/** The shell stays where the command before it went. */
export function shellCwd(cwd: string | undefined, { cwd: start, resolve, services }: TouchContext): string {
	return cwd === undefined ? (services?.peek(shellService)?.cwd ?? start) : resolve(cwd);
}
