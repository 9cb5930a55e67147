/** Shares a session in steps: prepare, show, and, if the user agrees, send. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import type { Settings } from "@tau/config/settings";
import type { SessionManager } from "@tau/log";
import { localDate, plural, registerProviderKeys, shortenHome } from "@tau/utils";
import { knownSecrets } from "@tau/utils/secrets";
import { documentTitle, sealShare, shareUrl } from "@tau/wire/share";

import { documentPage } from "../export/document-page.ts";
import { shareDocument } from "../export/document.ts";
import { callHandler, shareHandler } from "./handler.ts";
import { addShare, shownIdChars, type ShareRecord } from "./ledger.ts";
import { limits } from "./limits.ts";
import { prepareShare, type PreparedShare } from "./prepare.ts";
import { serverOf, uploadToGist, uploadToRelay } from "./stores.ts";

/** Where a share goes. */
export type Destination =
	| { readonly kind: "relay"; readonly server: string; readonly ttlSeconds: number }
	| { readonly kind: "gist" }
	| { readonly kind: "file"; readonly path: string }
	| { readonly kind: "handler"; readonly file: string };

export interface ShareOutcome {
	readonly text: string;
	readonly url?: string;
	readonly path?: string;
}

/** By the settings. Throws where nothing says where to. `handlers`: the user's own way counts, as in a terminal. */
export function destinationOf(
	settings: Settings,
	session: SessionManager,
	agentDir: string,
	handlers: boolean,
): Destination {
	const handler = handlers ? shareHandler(agentDir) : undefined;
	if (handler !== undefined) return { kind: "handler", file: handler };
	const store = settings.get("share.store");
	if (store === "gist") return { kind: "gist" };
	if (store === "file")
		return {
			kind: "file",
			path: resolve(session.getCwd(), `share-${session.getSessionId().replaceAll(/[^\w.-]/g, "_")}.html`),
		};
	const server = settings.get("share.serverUrl") ?? settings.get("collab.relayUrl");
	if (server === undefined)
		throw new Error(
			"Nothing says where to share. Set share.serverUrl to your relay (tau relay runs one), share.store to gist for a secret gist by gh, or to file for a page that you pass on yourself.",
		);
	return {
		kind: "relay",
		server: serverOf(server),
		ttlSeconds: Math.round(settings.get("share.ttlDays") * 86_400),
	};
}

export function prepare(
	session: SessionManager,
	destination: Destination,
	{ redact, keep }: { redact: boolean; keep?: ReadonlySet<string> },
): PreparedShare {
	registerProviderKeys(process.env);
	const maxBytes = destination.kind === "gist" ? limits.gistBytes : limits.relayBytes;
	return prepareShare(shareDocument(session, "branch", new Date()), {
		known: knownSecrets(process.env),
		redact,
		maxBytes,
		...(keep ? { keep } : {}),
	});
}

/** What leaves, and where to, in lines for the user. */
export function describeShare(prepared: PreparedShare, destination: Destination): string {
	const { document, packed, bytes, images, files, found, kept, trimmed } = prepared;
	const more = (count: number, most: number): string => (count > most ? `, and ${count - most} more` : "");
	const lines = [
		`Where   ${whereText(destination)}`,
		`What    ${plural(document.entries.length, "entry", "entries")} of the current branch${document.agents.length > 0 ? ` and ${plural(document.agents.length, "agent")}` : ""}, ${size(bytes)} (${size(packed.length)} compressed)`,
		`Images  ${images.count === 0 ? "none" : `${images.count}, ${size(images.bytes)}`}`,
		`Files   ${files.length === 0 ? "none are named" : files.slice(0, limits.listedFiles).join(", ") + more(files.length, limits.listedFiles)}`,
	];
	const masked = found.filter(({ id }) => !kept.has(id));
	lines.push(`Masked  ${masked.length === 0 ? "nothing was found" : plural(masked.length, "finding")}`);
	for (const { id, family, shown, count, context } of found.slice(0, limits.listedFindings)) {
		const times = count > 1 ? `, ${count} times` : "";
		lines.push(
			`  ${kept.has(id) ? "kept  " : "masked"}  ${family}: ${shown}${times}    ${context}`.trimEnd(),
		);
	}
	if (found.length > limits.listedFindings)
		lines.push(`  … and ${found.length - limits.listedFindings} more`);
	if (trimmed !== "") lines.push(`Note    ${trimmed}`);
	return lines.join("\n");
}

/** Called after the user's yes. Rejects with the reason. */
export async function send(
	prepared: PreparedShare,
	destination: Destination,
	signal: AbortSignal,
): Promise<ShareOutcome> {
	if (destination.kind === "file") {
		writeFileSync(destination.path, await documentPage(prepared.document), { mode: 0o600 });
		return {
			text: `Written to ${shortenHome(destination.path)}. Pass it on yourself.`,
			path: destination.path,
		};
	}
	if (destination.kind === "handler") return await handled(prepared, destination.file);
	const { bytes, key } = await sealShare(prepared.packed);
	const stored =
		destination.kind === "gist"
			? await uploadToGist(bytes, signal)
			: await uploadToRelay(destination.server, bytes, destination.ttlSeconds, signal);
	const url = shareUrl(stored.address, key);
	const { session } = prepared.document;
	const record: ShareRecord = {
		...stored,
		store: destination.kind,
		url,
		sessionId: session.id,
		title: documentTitle(prepared.document),
		createdAt: Date.now(),
		bytes: bytes.length,
	};
	addShare(record);
	const until = stored.expiresAt === undefined ? "" : `, until ${localDate(new Date(stored.expiresAt))}`;
	const removal = `Delete it with /unshare, or tau share rm ${stored.id.slice(0, shownIdChars)}`;
	return {
		text: `Share URL: ${url}\nWhoever has this link can read the session${until}. ${removal}`,
		url,
	};
}

/** The page is gone when the handler has returned: it is meant to have sent it. */
async function handled(prepared: PreparedShare, file: string): Promise<ShareOutcome> {
	const directory = mkdtempSync(join(tmpdir(), "tau-share-"));
	try {
		const page = join(directory, "session.html");
		writeFileSync(page, await documentPage(prepared.document), { mode: 0o600 });
		const { url, message } = await callHandler(file, page);
		const lines = [url === undefined ? "" : `Share URL: ${url}`, message ?? ""].filter(Boolean);
		return { text: lines.join("\n") || "Shared.", ...(url === undefined ? {} : { url }) };
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

function whereText(destination: Destination): string {
	switch (destination.kind) {
		case "relay":
			return `${destination.server}, sealed (the relay cannot read it), for ${plural(Math.round(destination.ttlSeconds / 86_400), "day")}`;
		case "gist":
			return "a secret gist on github.com, sealed, by gh, until you delete it";
		case "file":
			return `${shortenHome(destination.path)}, readable, on this machine`;
		case "handler":
			return `your own ${shortenHome(destination.file)}, as a readable page`;
	}
}

function size(bytes: number): string {
	return bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1000))} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
