/** Who is at the other end of a Unix socket, as the kernel says. */
import { log, once, userId } from "@tau/utils";

const solSocket = 1;
const soPeerCredentials = 17;
const root = 0;

interface Library {
	getsockopt(fd: number, level: number, name: number, value: Uint32Array, length: Uint32Array): number;
}

/** Bun does not offer the call: it is looked up when the first peer comes. */
const library = once(async (): Promise<Library | undefined> => {
	if (process.platform !== "linux") return undefined;
	try {
		const { dlopen } = await import("bun:ffi");
		const { symbols } = dlopen("libc.so.6", {
			getsockopt: { args: ["int", "int", "int", "buffer", "buffer"], returns: "int" },
		});
		return symbols as unknown as Library;
	} catch (error) {
		// Another C library: the directory and the token keep others out.
		log.debug("the user at the other end of a socket is not known", { reason: String(error) });
		return undefined;
	}
});

/**
 * Whether the peer is this user, or root, who can read the token anyway. True where the system does not say: then the
 * directory, which no other user can enter, and the token decide.
 */
export async function isOwnPeer(fd: number | undefined): Promise<boolean> {
	const own = await library();
	if (!own || fd === undefined) return true;
	// pid, uid and gid of the process that connected.
	const credentials = new Uint32Array(3);
	const length = new Uint32Array([credentials.byteLength]);
	if (own.getsockopt(fd, solSocket, soPeerCredentials, credentials, length) !== 0) return false;
	const [, peer] = credentials;
	return peer === userId() || peer === root;
}
