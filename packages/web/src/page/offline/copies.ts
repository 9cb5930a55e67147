/** The last sessions that were open here, to read without a network. */
import { Live, type SessionSnapshot } from "@tau/wire";

import { limits } from "../limits.ts";
import { fileClient } from "../store/file-client.ts";
import { OpenSession } from "../store/open-session.ts";
import { keep, kept } from "./vault.ts";

const nameOf = (id: string): string => `session ${id}`;

/** Keeps what the session shows: some time after a change, and at once when the page goes to the background. */
export function keepCopies(session: OpenSession): Disposable {
	let timer: ReturnType<typeof setTimeout> | undefined;
	let written: unknown;
	const write = (): void => {
		clearTimeout(timer);
		timer = undefined;
		const { view } = session.client;
		if (written === view.tail.entries) return;
		written = view.tail.entries;
		// Without a store, the page only works with a network.
		keep(nameOf(session.id), copyOf(session)).catch(() => {});
	};
	const onHidden = (): void => {
		if (document.hidden) write();
	};
	const stop = session.items.subscribe(() => {
		timer ??= setTimeout(write, limits.keepMs);
	});
	document.addEventListener("visibilitychange", onHidden);
	return {
		[Symbol.dispose]() {
			stop();
			document.removeEventListener("visibilitychange", onHidden);
			write();
		},
	};
}

/** What is being made now is no part of it. */
function copyOf({ client: { view } }: OpenSession): SessionSnapshot {
	const { facts, tail } = view;
	const cursor = { epoch: "copy", seq: 0 };
	return { cursor, facts: { ...facts, phase: "idle" }, tail, live: new Live().state(), clients: [] };
}

/** Undefined if this browser has none. */
export async function openCopy(id: string): Promise<OpenSession | undefined> {
	const copy = await kept<SessionSnapshot>(nameOf(id));
	return copy && new OpenSession(id, fileClient(copy.value), { copiedAt: copy.savedAt });
}
