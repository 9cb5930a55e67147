/** A session that is read from a file: a share, an export, a recording. It draws like any other, and takes no commands. */
import type { ClientInfo, CommandFields, CommandName, CommandResult, SessionSnapshot } from "@tau/wire";
import { Replica, type ConnectionState } from "@tau/wire/remote";

import type { ShownClient } from "./open-session.ts";

const reader: ClientInfo = { id: "reader", name: "reader", rights: "view", kinds: [] };
const state: ConnectionState = { kind: "connected" };
const never: Disposable = { [Symbol.dispose]() {} };

/** What the file can answer besides its branch. */
export type FileAnswers = { readonly [T in CommandName]?: (fields: CommandFields<T>) => CommandResult<T> };

/** The snapshot has the whole branch in its tail, or says how many entries are missing. */
export function fileClient(snapshot: SessionSnapshot, answers: FileAnswers = {}): ShownClient {
	const replica = new Replica();
	const { epoch, seq } = snapshot.cursor;
	replica.take({ epoch, seq, sessionId: snapshot.facts.session.id, kind: "snapshot", body: snapshot });
	return replicaClient(replica, answers);
}

/** Draws a replica that its caller updates, such as a player of recordings. */
export function replicaClient(replica: Replica, answers: FileAnswers = {}): ShownClient {
	return {
		me: reader,
		view: replica,
		state,
		subscribe: (listener) => replica.subscribe(listener),
		onReset: (listener) => replica.onReset(listener),
		onFacts: (listener) => replica.onFacts(listener),
		onState: () => never,
		request<T extends CommandName>(type: T, fields: CommandFields<T>): Promise<CommandResult<T>> {
			const answer: ((fields: CommandFields<T>) => CommandResult<T>) | undefined = answers[type];
			return answer
				? Promise.resolve(answer(fields))
				: Promise.reject(new Error("This session is only read."));
		},
		[Symbol.dispose]() {},
	};
}
