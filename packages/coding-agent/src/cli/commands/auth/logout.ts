/** `tau logout`: forgets the keys and logins of a provider. */
import type { CredentialStore } from "@tau/ai";
import type { Settings } from "@tau/config/settings";
import { ownWrite, UsageError } from "@tau/utils";

import type { Args } from "../../args.ts";
import { broughtProviders, type BroughtProvider } from "./extensions.ts";
import { findProvider, labelOf } from "./providers.ts";
import { printErrorOf, openCredentials } from "./store.ts";
import { openSettings } from "../../launch/load-settings.ts";
import { exitCodes } from "../../exit-codes.ts";

export async function runLogout(args: Args): Promise<number> {
	return logOutOf(args, args.operands[0], openCredentials);
}

/** `word` is the provider that the user names. */
export async function logOutOf(
	args: Args,
	word: string | undefined,
	openStore: (settings: Settings) => Promise<CredentialStore>,
): Promise<number> {
	try {
		const settings = await openSettings(args);
		using store = await openStore(settings);
		const brought = await broughtProviders(args, settings, store);
		const provider = await whichOne(store, word, brought);
		const count = provider === undefined ? 0 : store.remove(provider);
		const what = count === 1 ? "1 credential" : `${count} credentials`;
		const label = provider === undefined ? "" : labelOf(provider, brought);
		ownWrite(process.stdout)(
			count === 0
				? `Nothing is stored${label === "" ? "" : ` for ${label}`}.\n`
				: `Removed ${what} for ${label}.\n`,
		);
		return exitCodes.answered;
	} catch (error) {
		return printErrorOf(error);
	}
}

/** A credential is removed only by its name: what is gone has to be brought back by hand. */
async function whichOne(
	store: CredentialStore,
	word: string | undefined,
	brought: readonly BroughtProvider[],
): Promise<string | undefined> {
	const stored = [...new Set(store.list().map(({ provider }) => provider))];
	if (word !== undefined) return findProvider(word, [...stored, ...brought.map(({ id }) => id)]);
	if (stored.length > 0) throw new UsageError(`Usage: tau logout <provider>. Stored: ${stored.join(", ")}`);
	return undefined;
}
