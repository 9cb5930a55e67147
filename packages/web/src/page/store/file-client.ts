/** A session that is read from a file: a share, an export, a recording. It draws like any other, and takes no commands. */
import type { ClientInfo, SessionSnapshot } from "@tau/wire";
import { Replica, type ConnectionState } from "@tau/wire/remote";

import type { ShownClient } from "./open-session.ts";

const reader: ClientInfo = { id: "reader", name: "reader", rights: "view", kinds: [] };
const state: ConnectionState = { kind: "connected" };
const never: Disposable = { [Symbol.dispose]() {} };

/** The snapshot has the whole branch in its tail, or says how many entries are missing. */
export function fileClient(snapshot: SessionSnapshot): ShownClient {
	const replica = new Replica();
	const { epoch, seq } = snapshot.cursor;
	replica.take({ epoch, seq, sessionId: snapshot.facts.session.id, kind: "snapshot", body: snapshot });
	return {
		me: reader,
		view: replica,
		state,
		subscribe: (listener) => replica.subscribe(listener),
		onReset: (listener) => replica.onReset(listener),
		onState: () => never,
		request: () => Promise.reject(new Error("This session is only read.")),
		[Symbol.dispose]() {},
	};
}
