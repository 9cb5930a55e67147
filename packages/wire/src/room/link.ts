/** Invitation links: what a guest types, and what a host prints. */
import { base64url, fromBase64url, type Bytes } from "./bytes.ts";

/** A link that was read. */
export interface RoomLink {
	/** Where the room is: `wss://relay.example.com`, with the path of a relay that is not at the root. */
	readonly relay: string;
	readonly room: string;
	/** 32 bytes to look, 48 for more. */
	readonly secret: Bytes;
}

/** The text was not a link; the message says why. */
export class LinkError extends Error {}

export const viewBytes = 32;
export const fullBytes = 48;
const roomId = /^[A-Za-z0-9_-]{10,64}$/;
const local = new Set(["localhost", "127.0.0.1", "[::1]", "::1"]);

/** Reads every form; `defaultRelay` is for links that name none. Throws a `LinkError`. */
export function readLink(text: string, defaultRelay: string | undefined): RoomLink {
	const link = text
		.trim()
		// A link that was copied from a narrow terminal is cut where its lines were.
		.replaceAll(/\s*\n\s*/g, "")
		.replace(/^(["'])(.*)\1$/, "$2")
		.replaceAll("%23", "#");
	if (link === "" || /\s/.test(link) || [...link].some((char) => char < "!"))
		throw new LinkError(`Invalid collab link: ${link === "" ? "it is empty" : "it has spaces"}`);
	const [, page, inner] = /^([^#]+?)\/+#(.+)$/.exec(link) ?? [];
	// A page of a relay: what the link itself names wins over the page's address.
	if (page !== undefined && inner !== undefined) return readLink(inner, page);
	const at = secretAt(link);
	if (at === -1) throw new LinkError("Collab link is missing the <key> part");
	const place = link.slice(0, at);
	return { ...readPlace(place, defaultRelay), secret: readSecret(link.slice(at + 1)) };
}

/** The part after the last separator, where it can be a key; a host has dots as well. */
function secretAt(link: string): number {
	const hash = link.lastIndexOf("#");
	if (hash !== -1) return hash;
	const path = link.lastIndexOf("/");
	const dot = link.lastIndexOf(".");
	return dot > path ? dot : -1;
}

function readSecret(text: string): Bytes {
	if (text === "") throw new LinkError("Collab link is missing the <key> part");
	const secret = fromBase64url(text);
	if (secret?.length !== viewBytes && secret?.length !== fullBytes)
		throw new LinkError("Collab link key must be 32 (view) or 48 (full) base64url bytes");
	return secret;
}

function readPlace(place: string, defaultRelay: string | undefined): Pick<RoomLink, "relay" | "room"> {
	if (roomId.test(place)) {
		if (defaultRelay === undefined)
			throw new LinkError(
				"This link names no relay. Set collab.relayUrl to the host's relay, or ask for a link with its address.",
			);
		return { relay: readRelay(defaultRelay), room: place };
	}
	const [, relay, room] = /^(.*?)\/r\/([^/]*)$/.exec(place) ?? [];
	if (relay === undefined || room === undefined || !roomId.test(room))
		throw new LinkError("Collab link must contain a /r/<roomId> path");
	return { relay: readRelay(relay), room };
}

/** The address of a relay as users write it: `relay.example.com`, `ws://localhost:7475`, `https://…`. */
export function readRelay(text: string): string {
	const [, scheme = "wss", rest = text.trim()] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(text.trim()) ?? [];
	const known = { wss: "wss", https: "wss", ws: "ws", http: "ws" }[(scheme ?? "").toLowerCase()];
	if (known === undefined) throw new LinkError(`Unsupported relay URL scheme: ${scheme}`);
	let url: URL;
	try {
		// A scheme that URL takes apart as it does addresses of the web.
		url = new URL(`${known === "wss" ? "https" : "http"}://${rest}`);
	} catch {
		throw new LinkError(`Invalid relay URL: ${text}`);
	}
	if (
		url.hostname === "" ||
		url.username !== "" ||
		url.password !== "" ||
		url.search !== "" ||
		url.hash !== ""
	)
		throw new LinkError(`Invalid relay URL: ${text}`);
	if (known === "ws" && !local.has(url.hostname))
		throw new LinkError("relay link must be wss:// (plain ws:// is only allowed for localhost)");
	return `${known}://${url.host}${url.pathname.replace(/\/+$/, "")}`;
}

/** The shortest form that a guest with this relay as its default understands: `room#key`, or with the address. */
export function printLink({ relay, room, secret }: RoomLink, isDefault: boolean): string {
	const key = base64url(secret);
	if (isDefault) return `${room}#${key}`;
	const plain = relay.startsWith("ws://") ? relay : relay.slice("wss://".length);
	return `${plain}/r/${room}#${key}`;
}

/** The address for browsers. The second `#` would be escaped by strict programs, so it is a dot. */
export function browserLink({ relay, room, secret }: RoomLink): string {
	return `${pageOf(relay)}/#${room}.${base64url(secret)}`;
}

/** The same as it is shown. */
export function shownBrowserLink(link: RoomLink): string {
	return browserLink(link).replace(/^https:\/\//, "");
}

/** Where the page of a relay is. */
export function pageOf(relay: string): string {
	return relay.replace(/^ws/, "http");
}

/** For logs and lists: who reads it cannot join. */
export function maskLink(text: string): string {
	return text.replace(/([#.]|%23)[A-Za-z0-9_-]{43,64}(?![A-Za-z0-9_-])/g, "$1…");
}
