/** What a client was answered: a command that it sends again after a reconnect is not done again. */
import type { FrameOf } from "@tau/wire";

import { limits } from "../local/limits.ts";

export type ResponseBody = FrameOf<"response">["body"];

/** Those of one client, by the id of the command. */
export class Answers {
	readonly #known = new Map<string, Promise<ResponseBody>>();

	once(id: string, work: () => Promise<ResponseBody>): Promise<ResponseBody> {
		const known = this.#known.get(id);
		if (known) return known;
		const answering = work().then((body) => {
			// Its work is done, and must not be done again; what it was is asked for anew.
			if (JSON.stringify(body).length <= limits.answerBytes) return body;
			this.#known.set(id, Promise.resolve({ id, ok: body.ok }));
			return body;
		});
		this.#known.set(id, answering);
		for (const oldest of this.#known.keys()) {
			if (this.#known.size <= limits.answersKept) break;
			this.#known.delete(oldest);
		}
		return answering;
	}
}
