/** Opens the credentials of this user, for every command that needs them, and reports problems with them. */
import { CredentialError, CredentialStore } from "@tau/ai";
import { credentialsPath, openCredentialStore } from "@tau/config/models";
import type { Settings } from "@tau/config/settings";

import { printError } from "../../print-error.ts";
import { exitCodes } from "../../exit-codes.ts";

export function openCredentials(
	settings: Settings,
	onNotice: (message: string) => void = printError,
): Promise<CredentialStore> {
	return openCredentialStore({ env: process.env, settings, onNotice });
}

/** The credentials of this machine, also if a broker is set: a broker's own are there. */
export function openOwnCredentials(): Promise<CredentialStore> {
	return CredentialStore.open({ path: credentialsPath(), env: process.env, onNotice: printError });
}

/** Problems with credentials are printed and set the command's exit code; other errors are rethrown. */
export function printErrorOf(error: unknown): number {
	if (!(error instanceof CredentialError)) throw error;
	printError(error.message);
	return exitCodes.failed;
}
