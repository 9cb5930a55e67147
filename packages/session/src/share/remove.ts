/** Deletes shares again, with the token that their upload was answered with. */
import { forgetShare, listShares, type ShareRecord } from "./ledger.ts";
import { deleteFromRelay, deleteGist } from "./stores.ts";

/** By the start of the id or of the link; throws where none or several match. */
export function findShare(word: string, shares: readonly ShareRecord[] = listShares()): ShareRecord {
	const matches = shares.filter(
		({ id, url }) => id.startsWith(word) || url === word || url.split("#")[0] === word,
	);
	const [match, ...more] = matches;
	if (!match) throw new Error(`No share ${word}. tau share list shows yours.`);
	if (more.length > 0) throw new Error(`Several shares begin with ${word}. Write more of it.`);
	return match;
}

export async function removeShare(share: ShareRecord, signal: AbortSignal): Promise<void> {
	if (share.store === "gist") await deleteGist(share.id, signal);
	else await deleteFromRelay(share.address, share.deleteToken ?? "", signal);
	forgetShare(share.id);
}
