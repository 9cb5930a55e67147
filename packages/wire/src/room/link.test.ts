/** Links as people paste them: every form that is printed or was printed by others is read, and what is wrong is said. */
import { describe, expect, test } from "bun:test";

import { base64url, randomBytes } from "./bytes.ts";
import { browserLink, maskLink, printLink, readLink, readRelay, shownBrowserLink } from "./link.ts";

const room = "mgAYTZwEnpRQtca0CTgn-Q";
const view = base64url(new Uint8Array(32).fill(7));
const full = base64url(new Uint8Array(48).fill(9));

describe("a link is read", () => {
	test.each([
		[`${room}#${view}`, "wss://relay.example.com"],
		[`relay.org/r/${room}#${full}`, "wss://relay.org"],
		[`relay.org:8443/r/${room}#${full}`, "wss://relay.org:8443"],
		[`wss://relay.org/base/r/${room}#${full}`, "wss://relay.org/base"],
		[`ws://localhost:7475/r/${room}#${full}`, "ws://localhost:7475"],
		[`ws://127.0.0.1:7475/r/${room}#${full}`, "ws://127.0.0.1:7475"],
		[`ws://[::1]:7475/r/${room}#${full}`, "ws://[::1]:7475"],
		[`https://relay.org/#${room}#${full}`, "wss://relay.org"],
		[`https://relay.org/#${room}.${full}`, "wss://relay.org"],
		[`https://relay.org/#${room}%23${full}`, "wss://relay.org"],
		[`https://relay.org/#other.org/r/${room}#${full}`, "wss://other.org"],
		[`relay.org/#${room}#${full}`, "wss://relay.org"],
		[`relay.org/#${room}.${full}`, "wss://relay.org"],
		[`http://localhost:7475/#${room}.${full}`, "ws://localhost:7475"],
		[`relay.org/r/${room}.${full}`, "wss://relay.org"],
		[`"relay.org/r/${room}#${full}"`, "wss://relay.org"],
		[`  relay.org/r/${room}#${full}\n`, "wss://relay.org"],
		[`"relay.org/r/${room}#${full.slice(0, 20)}\n ${full.slice(20)}"`, "wss://relay.org"],
	])("%s", (text, relay) => {
		const link = readLink(text, "relay.example.com");
		expect(link.relay).toBe(relay);
		expect(link.room).toBe(room);
		expect([view, full]).toContain(base64url(link.secret));
	});

	test("and printed so that it is read again", () => {
		for (const relay of ["wss://relay.org", "ws://localhost:7475", "wss://relay.org:1/base"]) {
			const link = { relay, room, secret: randomBytes(48) };
			expect(readLink(printLink(link, false), undefined)).toEqual(link);
			expect(readLink(browserLink(link), undefined)).toEqual(link);
			expect(readLink(shownBrowserLink(link), undefined)).toEqual(link);
			expect(readLink(printLink(link, true), relay)).toEqual(link);
		}
	});
});

describe("what is wrong with a link is said", () => {
	test.each([
		["", "Invalid collab link: it is empty"],
		["two words", "Invalid collab link: it has spaces"],
		[`relay.org/${room}#${full}`, "Collab link must contain a /r/<roomId> path"],
		[`relay.org/r/short#${full}`, "Collab link must contain a /r/<roomId> path"],
		[room, "Collab link is missing the <key> part"],
		[`relay.org/r/${room}`, "Collab link is missing the <key> part"],
		[`relay.org/r/${room}#`, "Collab link is missing the <key> part"],
		[`relay.org/r/${room}#abc`, "Collab link key must be 32 (view) or 48 (full) base64url bytes"],
		[`relay.org/r/${room}#${full}=`, "Collab link key must be 32 (view) or 48 (full) base64url bytes"],
		[
			`ws://relay.org/r/${room}#${full}`,
			"relay link must be wss:// (plain ws:// is only allowed for localhost)",
		],
		[`ftp://relay.org/r/${room}#${full}`, "Unsupported relay URL scheme: ftp"],
		[`wss://:1/r/${room}#${full}`, "Invalid relay URL: wss://:1"],
		[`${room}#${full}`, "This link names no relay."],
	])("%s", (text, message) => {
		expect(() => readLink(text, undefined)).toThrow(message);
	});

	test.each(["wss://user:pass@relay.org", "wss://relay.org?x=1", "wss://relay.org#x", "wss://"])(
		"a relay is not %s",
		(relay) => {
			expect(() => readRelay(relay)).toThrow("Invalid relay URL");
		},
	);
});

test("a link in a log does not let its reader in", () => {
	const text = `joined relay.org/r/${room}#${full} and https://relay.org/#${room}.${view}`;
	const masked = maskLink(text);
	expect(masked).toBe(`joined relay.org/r/${room}#… and https://relay.org/#${room}.…`);
});
