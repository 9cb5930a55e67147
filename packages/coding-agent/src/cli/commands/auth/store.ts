/** Opens the credentials of this user, for every command that needs them, and reports problems with them. */
import { join } from "node:path";

import { CredentialError, CredentialStore } from "@tau/ai";
import { dirs, type Env } from "@tau/utils";

import { printError } from "../../print-error.ts";
import { exitCodes } from "../../exit-codes.ts";

export function openCredentials(
	env: Env = process.env,
	onNotice: (message: string) => void = printError,
): Promise<CredentialStore> {
	const { agent, profile } = dirs(env);
	return CredentialStore.open({ path: join(profile ?? agent, "agent.db"), env, onNotice });
}

/** Problems with credentials are printed and set the command's exit code; other errors are rethrown. */
export function printErrorOf(error: unknown): number {
	if (!(error instanceof CredentialError)) throw error;
	printError(error.message);
	return exitCodes.failed;
}
