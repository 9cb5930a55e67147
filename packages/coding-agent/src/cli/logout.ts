/** `tau logout`: forgets the keys and logins of a provider. */
import type { CredentialStore } from "@tau/ai";

import { UsageError, type Args } from "./args.ts";
import { findProvider, labelOf } from "./auth-providers.ts";
import { complainOf, openCredentials } from "./auth-store.ts";
import { exitCodes } from "./exit-codes.ts";

export async function runLogout({ operands }: Args): Promise<number> {
	using store = await openCredentials();
	try {
		const provider = await whichOne(store, operands[0]);
		const count = provider === undefined ? 0 : store.remove(provider);
		const what = count === 1 ? "The credential" : `${count} credentials`;
		process.stdout.write(
			provider === undefined || count === 0
				? `Nothing is stored${provider === undefined ? "" : ` for ${labelOf(provider)}`}.\n`
				: `${what} of ${labelOf(provider)} ${count === 1 ? "is" : "are"} forgotten.\n`,
		);
		return exitCodes.answered;
	} catch (error) {
		return complainOf(error);
	}
}

/** Without a name it is clear only where there is one. */
async function whichOne(store: CredentialStore, word: string | undefined): Promise<string | undefined> {
	const stored = [...new Set(store.list().map(({ provider }) => provider))];
	if (word !== undefined) return findProvider(word, stored);
	if (stored.length > 1)
		throw new UsageError(`Say which: tau logout <provider>. Stored: ${stored.join(", ")}`);
	return stored[0];
}
