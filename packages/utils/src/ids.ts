/** Makes identifiers: long ones that sort by time, short ones for the entries of a session. */
import { idLimits } from "./limits.ts";

export function uuidv7(): string {
	return Bun.randomUUIDv7();
}

/** Eight hex characters for which `taken` is false; a long id if many attempts in a row collide. */
export function shortId(taken: (id: string) => boolean = () => false): string {
	for (let attempt = 0; attempt < idLimits.shortAttempts; attempt++) {
		const id = crypto.getRandomValues(new Uint8Array(4)).toHex();
		if (!taken(id)) return id;
	}
	return uuidv7();
}
