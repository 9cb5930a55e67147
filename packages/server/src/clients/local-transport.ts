/** Reaches a session of this machine over its Unix socket. */
import { isRecord } from "@tau/utils";
import { GoneError, rights, type Transport } from "@tau/wire/remote";

import { connectTo, type Address } from "../local/connect.ts";

/** `find` says where the session listens now, by the id that it had last; undefined when it does not run any more. */
export function localTransport(find: (sessionId: string | undefined) => Address | undefined): Transport {
	return {
		async connect({ sessionId, ...join }, events) {
			const address = find(sessionId);
			if (!address) throw new GoneError("The session has ended.");
			const connection = await connectTo(address, { purpose: "join", ...join }, events);
			const held = isRecord(connection.data) ? connection.data.rights : undefined;
			return {
				rights: rights.find((each) => each === held) ?? "view",
				send: (line) => connection.send(line),
				[Symbol.dispose]: () => connection[Symbol.dispose](),
			};
		},
	};
}
