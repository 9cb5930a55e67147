/** A guest in a room: a shared session, as a client like any other. */
import { join } from "node:path";

import type { Settings } from "@tau/config/settings";
import type { GuestRoom } from "@tau/interactive";
import { dirs, log, privateDirectory, UsageError } from "@tau/utils";
import { RefusedError, RemoteSession } from "@tau/wire/remote";
import { readLink, roomLimits, roomTransport, type RoomFault, type RoomLink } from "@tau/wire/room";

import { displayName } from "./collab.ts";
import { limits } from "./limits.ts";
import { ReplicaFile } from "./replica-file.ts";

/** What the user reads about the connection, and when it is over. */
export interface AttachWords {
	lost(reason: string): string;
	readonly back: string;
	last(client: RemoteSession): string;
}

export interface AttachOptions {
	words?: AttachWords;
	/** The session runs on another machine: its directory is not one of this machine. */
	guest?: GuestRoom;
	/** Called with what shows a warning on the screen. */
	onScreen?(warn: (message: string) => void): void;
}

export interface JoinedRoom extends Disposable {
	readonly client: RemoteSession;
	/** How it is shown on a screen. */
	readonly onScreen: AttachOptions & { words: AttachWords };
}

export interface JoinOptions {
	readonly signal: AbortSignal;
	/** Called when the host's user is asked whether to let the guest in. */
	onWaiting(): void;
}

/** A text says why it could not be joined. Throws where the link is none. */
export async function joinRoom(
	text: string,
	settings: Settings,
	{ signal, onWaiting }: JoinOptions,
): Promise<JoinedRoom | string> {
	const [, isOmp, written = text] = /^\s*(omp)\s+(.*)$/s.exec(text) ?? [];
	const link = linkIn(written, settings);
	let faults = 0;
	let warn = (_: string): void => {};
	const onFault = ({ kind, message }: RoomFault): void => {
		log.warn("a message of a room was refused", { kind, message });
		if (++faults <= limits.shownFaults) warn(`${message} The relay or the network may be tampering.`);
	};
	const joining = RemoteSession.join({
		transport: isOmp
			? (await import("@tau/wire/omp")).ompTransport({ link })
			: roomTransport({ link, onFault, onWaiting }),
		name: displayName(settings.get("collab.displayName")),
		kinds: ["questions", "approval"],
		lostMs: roomLimits.lostMs,
		retryMostMs: roomLimits.retryMostMs,
		onBadFrame: (error) => log.warn("a frame of a session could not be used", { reason: String(error) }),
		signal,
	});
	let client: RemoteSession;
	try {
		client = await joining;
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		// What the host says needs no address; what the network says does.
		return error instanceof RefusedError ? reason : `Cannot join through ${link.relay}: ${reason}`;
	}
	const replica = new ReplicaFile(fileOf(link), client);
	return {
		client,
		onScreen: {
			guest: { exportTo: (file) => replica.exportTo(file) },
			onScreen(show) {
				warn = show;
			},
			words: {
				lost: (reason) => `Collab connection lost (${reason}), reconnecting…`,
				back: "Reconnected to collab session",
				last: ({ state }) =>
					state.kind === "ended" ? `Collab session ended (${state.reason})` : "Left the collab session.",
			},
		},
		[Symbol.dispose]() {
			replica[Symbol.dispose]();
			client[Symbol.dispose]();
		},
	};
}

function linkIn(text: string, settings: Settings): RoomLink {
	try {
		return readLink(text, settings.get("collab.relayUrl"));
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}

function fileOf({ room }: RoomLink): string {
	return join(privateDirectory(join(dirs().config, "collab")), `${room}.jsonl`);
}
