/** Resources that providers hold for a session are released when the session ends. */
import { perScope } from "@tau/extensions/support";
import { log } from "@tau/utils";

type Cleanup = (sessionId?: string) => void;

/** Of each session's extensions. */
const cleanups = perScope(() => new Set<Cleanup>());

/** Gives the way to take it back. */
export function registerSessionResourceCleanup(cleanup: Cleanup): () => void {
	const here = cleanups();
	here.add(cleanup);
	return () => void here.delete(cleanup);
}

/** One that throws does not keep the others from it. */
export function cleanupSessionResources(sessionId?: string): void {
	for (const cleanup of cleanups()) {
		try {
			cleanup(sessionId);
		} catch (error) {
			log.warn("a session cleanup of an extension failed", { reason: String(error) });
		}
	}
}

/** What extensions get of it. */
export const resourceExports = {
	registerSessionResourceCleanup,
	cleanupSessionResources,
};
