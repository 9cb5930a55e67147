/** Gets the session that the page shows: out of the page itself, or sealed from the server that the page came from. */
import {
	isRecording,
	openShare,
	parseDocument,
	parseRecording,
	readFragment,
	ShareError,
	shareLimits,
	type RecordingDocument,
	type ShareDocument,
} from "@tau/wire/share";

import { limits } from "../limits.ts";

/** The element that an exported page has its session in. */
const dataId = "session";

export interface Shared {
	readonly document: ShareDocument;
	/** What a link to one of its messages starts with; a file has none but its own name. */
	readonly linkStart: string;
}

/** Rejects with the reason for the reader. */
export async function loadDocument(): Promise<Shared | RecordingDocument> {
	const data = document.getElementById(dataId)?.textContent ?? "";
	if (isRecording(data)) return parseRecording(data);
	if (data.trim() !== "") return { document: parseDocument(data), linkStart: "#m=" };
	const { key } = readFragment(location.hash);
	if (!/^\/s\/[\w-]{22}$/.test(location.pathname))
		throw new ShareError("This address is not that of a share.");
	if (key === "")
		throw new ShareError("The link has no key. Copy the whole link, with everything after the #.");
	// Without it a browser has no cryptography.
	if (!isSecureContext)
		throw new ShareError(
			"A browser opens a share only where the address begins with https:// or is localhost.",
		);
	const response = await fetch(`${location.pathname}/raw`, {
		credentials: "omit",
		referrerPolicy: "no-referrer",
		signal: AbortSignal.timeout(limits.shareMs),
	});
	if (!response.ok)
		throw new ShareError(
			response.status === 404
				? "This share has expired, was deleted, or never existed."
				: `The server answered with ${response.status}.`,
		);
	if (Number(response.headers.get("content-length")) > shareLimits.sealedBytes)
		throw new ShareError("This share is larger than 20 MB.");
	const shared = await openShare(new Uint8Array(await response.arrayBuffer()), key);
	return { document: shared, linkStart: `#${key}&m=` };
}

/** The message that the address is about. */
export function messageInAddress(): string | undefined {
	const hash = location.hash.replace(/^#/, "");
	return hash.startsWith("m=") ? hash.slice(2) : readFragment(hash).entryId;
}
