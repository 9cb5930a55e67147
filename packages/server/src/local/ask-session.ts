/** One command to a session that runs, by a client that asks for nothing else and leaves. */
import { abortable, isRecord, uuidv7, withTimeout } from "@tau/utils";
import { FrameReader } from "@tau/wire/remote";
import type { CommandFields, CommandName, CommandResult } from "@tau/wire";

import { connectTo, type Address } from "./connect.ts";
import { limits } from "./limits.ts";

/** Rejects with the reason of the session, or if it does not answer in time. */
export async function askSession<T extends CommandName>(
	address: Address,
	type: T,
	fields: CommandFields<T>,
	timeoutMs: number = limits.connectMs,
): Promise<CommandResult<T>> {
	using deadline = withTimeout(undefined, timeoutMs, "The session does not answer.");
	const id = uuidv7();
	const reader = new FrameReader();
	const answered = Promise.withResolvers<unknown>();
	// It may be rejected before anybody waits for it.
	answered.promise.catch(() => {});
	const onLine = (line: string): void => {
		// The other lines are what every client gets, and `bye`.
		const frame = line.startsWith('{"type"') ? undefined : reader.read(line);
		if (frame?.kind !== "response" || frame.body.id !== id) return;
		if (frame.body.ok) answered.resolve(frame.body.data);
		else answered.reject(new Error(frame.body.error ?? "The session has refused it."));
	};
	using connection = await connectTo(
		address,
		{ purpose: "join", client: { id: uuidv7(), name: "tau web", kinds: [] } },
		{ signal: deadline.signal, onLine, onEnd: () => answered.reject(new Error("The session has ended.")) },
	);
	await connection.send({ ...(isRecord(fields) ? fields : {}), id, type });
	// The command's name determines the type of its data.
	return (await abortable(answered.promise, deadline.signal)) as CommandResult<T>;
}
