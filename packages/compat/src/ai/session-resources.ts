/** What providers keep for a session is given back when somebody says that the session is over. */
import { log } from "@tau/utils";

type Cleanup = (sessionId?: string) => void;

const cleanups = new Set<Cleanup>();

/** Gives the way to take it back. */
export function registerSessionResourceCleanup(cleanup: Cleanup): () => void {
	cleanups.add(cleanup);
	return () => void cleanups.delete(cleanup);
}

/** One that throws does not keep the others from it. */
export function cleanupSessionResources(sessionId?: string): void {
	for (const cleanup of cleanups) {
		try {
			cleanup(sessionId);
		} catch (error) {
			log.warn("what an extension kept for a session could not be put away", { reason: String(error) });
		}
	}
}

/** What extensions get of it. */
export const resourceExports = {
	registerSessionResourceCleanup,
	cleanupSessionResources,
};
