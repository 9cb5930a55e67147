/** Starts the page of a relay: a guest in the session that the link in the address opens. */
import { pageOf, readLink, type RoomLink } from "@tau/wire/room";
import { render } from "preact";

import { wakeWithPage } from "../store/current.ts";
import { GuestApp } from "./guest-app.tsx";

const root = document.getElementById("page");
if (root) {
	render(<GuestApp link={linkIn(location)} />, root);
	wakeWithPage();
	// Another link is another room, with nothing of this one.
	addEventListener("hashchange", () => location.reload());
}

/** The key is in the fragment, which no browser sends. Undefined where the address has no link; a text says why it cannot be used here. */
function linkIn({ hash, origin }: Location): RoomLink | string | undefined {
	const text = hash.slice(1);
	if (text === "") return undefined;
	// Without it a browser has no cryptography.
	if (!isSecureContext)
		return "A browser joins only where the address begins with https:// or is localhost. Open this link with https://, or join in a terminal with tau join.";
	try {
		const link = readLink(text, origin);
		const page = pageOf(link.relay);
		return page === origin ? link : `This link is for another relay. Open ${page}/ with it.`;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}
