/** The resources of a command, as far as they are known before it runs: the command and its directory. */
import type { Touch } from "@tau/agent";
import { once } from "@tau/utils";

import type { TouchContext } from "../tool/define-tool.ts";
import { shellService } from "./shell-service.ts";

interface CommandArguments {
	command?: string | undefined;
	cwd?: string | undefined;
	env?: Readonly<Record<string, string>> | undefined;
	async?: boolean | undefined;
}

export function commandTouch(
	{ command, cwd, env, async }: CommandArguments,
	context: TouchContext,
): readonly Touch[] {
	if (command === undefined) return [];
	// Read from a file that the shell has written, for the judge alone.
	const searchPath = once(() => context.services?.peek(shellService)?.searchPath);
	return [
		{
			kind: "exec",
			command,
			cwd: shellCwd(cwd, context),
			...(env ? { env } : {}),
			...(async ? { isBackground: true } : {}),
			get searchPath() {
				return searchPath();
			},
		},
	];
}

/** The shell stays where the command before it went. */
export function shellCwd(cwd: string | undefined, { cwd: start, resolve, services }: TouchContext): string {
	return cwd === undefined ? (services?.peek(shellService)?.cwd ?? start) : resolve(cwd);
}
