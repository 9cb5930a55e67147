/** Opens the credentials of this user, for every command that needs them, and says what is wrong with them. */
import { join } from "node:path";

import { CredentialError, CredentialStore } from "@tau/ai";
import { dirs, type Env } from "@tau/utils";

import { printError } from "../../print-error.ts";
import { exitCodes } from "../../exit-codes.ts";

export function openCredentials(env: Env = process.env): Promise<CredentialStore> {
	return CredentialStore.open({ path: join(dirs(env).agent, "agent.db"), env, onNotice: printError });
}

/** What is wrong with credentials is told, and gives the command its exit code; other errors are thrown on. */
export function printErrorOf(error: unknown): number {
	if (!(error instanceof CredentialError)) throw error;
	printError(error.message);
	return exitCodes.failed;
}
