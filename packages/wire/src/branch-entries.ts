/** The end of the session's branch, as far back as clients need it. */
import type { SessionClient } from "./client.ts";
import type { Entry } from "./view.ts";

/** What the view has, and earlier entries where that is not enough; oldest first. */
export async function branchEntries(
	client: Pick<SessionClient, "view" | "request">,
	most: number,
): Promise<readonly Entry[]> {
	const { entries, earlier } = client.view.tail;
	const pages: (readonly Entry[])[] = [entries];
	let count = entries.length;
	let left = earlier;
	for (let first = entries[0]; first && left > 0 && count < most; first = pages[0]?.[0]) {
		const page = await client.request("get_entries", { before: first.id });
		if (page.entries.length === 0) break;
		pages.unshift(page.entries);
		count += page.entries.length;
		left -= page.entries.length;
	}
	return pages.flat().slice(-most);
}
