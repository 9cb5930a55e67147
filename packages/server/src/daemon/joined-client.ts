/** What a client elsewhere needs to send commands: what it was answered before, and who works on them. */
import type { Attached } from "@tau/session/host";

import { limits } from "../local/limits.ts";
import type { RpcSession } from "../rpc/index.ts";
import { Answers } from "./answers.ts";

/** Of all clients of a session, by their ids. */
export class ClientAnswers {
	readonly #known = new Map<string, Answers>();

	/** The latest client is the last one in the map, and the first is forgotten. */
	of(id: string): Answers {
		const answers = this.#known.get(id) ?? new Answers();
		this.#known.delete(id);
		this.#known.set(id, answers);
		for (const oldest of this.#known.keys()) {
			if (this.#known.size <= limits.clientsKept) break;
			this.#known.delete(oldest);
		}
		return answers;
	}
}

/** Loaded when the first client joins. */
export async function commandsFor(
	session: RpcSession,
	attached: Attached,
	{ answers, owned }: { answers: Answers; owned: DisposableStack },
): Promise<{ take(line: Record<string, unknown>): void }> {
	const { ClientCommands } = await import("./client-commands.ts");
	const components = await session.surfaces?.client(attached.info.id);
	if (components && !owned.disposed) owned.use(components.connect(attached));
	return new ClientCommands({
		session,
		client: attached.info,
		components,
		answers,
		respond: (body) => attached.respond(body),
	});
}
