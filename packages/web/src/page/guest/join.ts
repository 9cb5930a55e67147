/** Joins a room as a guest; the session that opens is the one that the page shows. */
import { signal } from "@preact/signals";
import { RefusedError, RemoteSession } from "@tau/wire/remote";
import { roomLimits, roomTransport, type RoomLink } from "@tau/wire/room";

import { limits } from "../limits.ts";
import { current } from "../store/current.ts";
import { OpenSession } from "../store/open-session.ts";
import { toast } from "../store/toasts.ts";

/** The host is asked whether to let this guest in. */
export const isHostAsked = signal(false);

export async function joinRoom(link: RoomLink, name: string): Promise<void> {
	current.value = { kind: "opening", id: link.room };
	isHostAsked.value = false;
	let faults = 0;
	try {
		const client = await RemoteSession.join({
			transport: roomTransport({
				link,
				onWaiting: () => (isHostAsked.value = true),
				onFault({ message }) {
					if (++faults <= limits.shownFaults)
						toast(`${message} The relay or the network may be tampering.`, "warning");
				},
			}),
			name,
			kinds: ["questions", "approval"],
			lostMs: roomLimits.lostMs,
			retryMostMs: roomLimits.retryMostMs,
		});
		const session = new OpenSession(client.view.facts.session.id, client, { isGuest: true });
		current.value = { kind: "open", session };
	} catch (error) {
		current.value = { kind: "failed", id: link.room, reason: reasonOf(error) };
	}
}

function reasonOf(error: unknown): string {
	if (error instanceof RefusedError) return error.message;
	if (error instanceof DOMException && error.name === "NotSupportedError")
		return "This browser lacks X25519 or Ed25519. Use a newer one, or join in a terminal with tau join.";
	return `The room cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
}
